internal import Glibc

/// The cores that this process may run on.
enum Cores {
  /// How many there are: those that `taskset`, a container's set of cores or systemd's `CPUAffinity`
  /// leave to the process.
  static var available: Int {
    // `sched_getaffinity` is an extension which Swift's import of the C library hides.
    let status = (try? SmallFile.read("/proc/self/status", limit: 65_536)) ?? []
    return allowed(inStatus: String(decoding: status, as: UTF8.self))
      ?? max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
  }

  /// How many cores the status of a process allows it; `nil` where it does not say.
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
