internal import Glibc

/// The cores that this process may run on.
package enum Cores {
  /// How many there are: those that `taskset`, a container's set of cores or systemd's `CPUAffinity`
  /// leave to the process.
  package static var available: Int {
    statusOfThisProcess().flatMap(allowed(inStatus:))
      ?? max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
  }

  /// How many cores the status of a process allows it; `nil` where it does not say.
  ///
  /// The field is a mask in hexadecimal digits, in groups with commas between them (proc(5)).
  package static func allowed(inStatus status: String) -> Int? {
    let name = "Cpus_allowed:"
    guard let line = status.split(separator: "\n").first(where: { $0.hasPrefix(name) }) else {
      return nil
    }
    let count = line.dropFirst(name.count).reduce(0) { count, digit in
      count + (digit.hexDigitValue?.nonzeroBitCount ?? 0)
    }
    return count > 0 ? count : nil
  }

  // `sched_getaffinity` is an extension which Swift's import of the C library hides.
  private static func statusOfThisProcess() -> String? {
    let descriptor = unsafe open("/proc/self/status", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    return unsafe withUnsafeTemporaryAllocation(byteCount: 8192, alignment: 1) { buffer in
      let count = unsafe read(descriptor, buffer.baseAddress, buffer.count)
      return count > 0 ? unsafe String(decoding: buffer[..<count], as: UTF8.self) : nil
    }
  }
}
