internal import Glibc
internal import Telemetry

/// The metrics of the process under the standard names of Prometheus client libraries.
struct ProcessMetrics: MetricsSource {
  private let startTime: Double?

  init() {
    startTime = Self.readStartTime()
  }

  func write(to text: inout MetricsText) {
    var computed = timespec()
    if unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &computed) == 0 {
      text.family(
        "process_cpu_seconds_total", .counter,
        "CPU time of the process.",
        Double(computed.tv_sec) + Double(computed.tv_nsec) / 1_000_000_000)
    }
    let pages = Self.fields(of: "/proc/self/statm").compactMap { Int($0) }
    if pages.count > 1 {
      let size = Int(sysconf(Int32(_SC_PAGESIZE)))
      text.family("process_virtual_memory_bytes", .gauge, "Virtual memory size.", pages[0] * size)
      text.family("process_resident_memory_bytes", .gauge, "Resident memory size.", pages[1] * size)
    }
    if let count = Self.entries(of: "/proc/self/fd") {
      text.family("process_open_fds", .gauge, "Open file descriptors.", count)
    }
    var limit = rlimit()
    if unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 {
      text.family(
        "process_max_fds", .gauge,
        "Maximum number of open file descriptors.", Int(clamping: limit.rlim_cur))
    }
    if let count = Self.entries(of: "/proc/self/task") {
      text.family("process_threads", .gauge, "Threads of the process.", count)
    }
    if let startTime {
      text.family(
        "process_start_time_seconds", .gauge,
        "Start time of the process since the Unix epoch.", startTime)
    }
  }

  /// Converts the start time from ticks since boot to seconds since the Unix epoch.
  private static func readStartTime() -> Double? {
    // The name of the program may contain any character; it ends with the last bracket.
    let words = String(decoding: read("/proc/self/stat"), as: UTF8.self)
    guard let bracket = words.lastIndex(of: ")") else { return nil }
    let fields = words[bracket...].split(separator: " ")
    let boot = String(decoding: read("/proc/stat"), as: UTF8.self)
      .split(separator: "\n").first { $0.hasPrefix("btime ") }?.dropFirst(6)
    guard fields.count > 20, let ticks = Double(fields[20]), let boot = boot.flatMap({ Double($0) })
    else { return nil }
    return boot + ticks / Double(sysconf(Int32(_SC_CLK_TCK)))
  }

  private static func fields(of path: String) -> [Substring] {
    String(decoding: read(path), as: UTF8.self).split(separator: " ")
  }

  /// Returns the contents of a small file; empty if it cannot be read.
  private static func read(_ path: String) -> [UInt8] {
    let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return [] }
    defer { close(file) }
    var bytes: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 16_384)
    while bytes.count < 1_048_576 {
      let count = unsafe Glibc.read(file, &part, part.count)
      guard count > 0 else { break }
      bytes += part[..<count]
    }
    return bytes
  }

  private static func entries(of path: String) -> Int? {
    guard let folder = unsafe opendir(path) else { return nil }
    defer { unsafe closedir(folder) }
    var count = 0
    while let entry = unsafe readdir(folder) {
      if unsafe entry.pointee.d_name.0 != CChar(UInt8(ascii: ".")) { count += 1 }
    }
    return count
  }
}
