internal import Glibc

/// The CPU cores available to this process.
enum Cores {
  /// The number of cores in the affinity mask, which `taskset`, a container's cpuset or systemd's
  /// `CPUAffinity` restricts.
  static var available: Int {
    // Swift does not import `sched_getaffinity`, a GNU extension.
    let status = (try? SmallFile.read("/proc/self/status", limit: 65_536)) ?? []
    return allowed(inStatus: String(decoding: status, as: UTF8.self))
      ?? max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
  }

  /// The number of cores that `/proc/PID/status` allows, or `nil` if the field is missing.
  ///
  /// The field is a mask in hexadecimal digits, in groups with commas between them (proc(5)).
  static func allowed(inStatus status: String) -> Int? {
    let name = "Cpus_allowed:"
    guard let line = status.split(separator: "\n").first(where: { $0.hasPrefix(name) }) else {
      return nil
    }
    let count = line.dropFirst(name.count).reduce(0) { count, digit in
      count + (digit.hexDigitValue?.nonzeroBitCount ?? 0)
    }
    return count > 0 ? count : nil
  }
}
