internal import Glibc

/// Divides the process's file descriptors between requests and streams.
///
/// When a process has no descriptor left, libmicrohttpd spins until one is closed. When the server
/// starts, the limits are therefore reduced to the number of available descriptors.
struct DescriptorBudget: Equatable {
  /// The limit of connections for requests.
  let connections: Int

  /// The limit of connections for streams.
  let streams: Int

  /// The limit of ended connections that linger until their clients close.
  static let lingering = 256

  /// The number of descriptors for everything else: databases, logs, the duplicates of a hand-off.
  static let reserve = 128

  /// Divides `available` descriptors: as requested if they suffice, otherwise an eighth for requests
  /// and the rest for streams, which stay open longer.
  init(connections: Int, streams: Int, available: Int) {
    let connections = max(1, connections)
    let streams = max(0, streams)
    let available = max(4, available - Self.reserve - Self.lingering)
    let least = max(1, available / 8)
    self.connections = min(connections, max(least, available - min(streams, available)))
    self.streams = min(streams, available - self.connections)
  }

  /// Raises the process's soft limit as far as the settings need, and divides the result.
  init(raisingLimitFor limits: MicrohttpdServer.Settings.Limits) {
    var limit = rlimit()
    guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
      self.init(connections: limits.connections, streams: limits.streams, available: 1024)
      return
    }
    let (sum, overflows) = limits.connections.addingReportingOverflow(limits.streams)
    let wanted =
      rlim_t(clamping: overflows ? Int.max : sum)
      &+ rlim_t(Self.reserve + Self.lingering + limits.reserved)
    if limit.rlim_cur < wanted {
      var raised = limit
      raised.rlim_cur = min(limit.rlim_max, wanted)
      if unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &raised) == 0 {
        limit = raised
      }
    }
    self.init(
      connections: limits.connections, streams: limits.streams,
      available: Int(clamping: limit.rlim_cur) - limits.reserved)
    let total = connections + streams + Self.reserve + Self.lingering + limits.reserved
    Self.allocateTable(of: min(total, Int(clamping: limit.rlim_cur)))
  }

  /// Allocates the process's table of descriptors in the kernel at once.
  ///
  /// A descriptor beyond the table doubles it, and the thread that opens the descriptor, such as the one that accepts
  /// connections, waits until all processors have seen the new table: tens of milliseconds (`expand_fdtable`,
  /// https://github.com/torvalds/linux/blob/v6.1/fs/file.c).
  private static func allocateTable(of count: Int) {
    let highest = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, CInt(clamping: count - 1))
    if highest >= 0 { close(highest) }
  }
}
