internal import Glibc

/// How the process's descriptors are shared between requests and streams.
///
/// When a process has none left, libmicrohttpd can only spin until one comes back. So the limits
/// are cut to what there is before that can happen.
struct DescriptorBudget: Equatable {
  /// Connections for requests.
  let connections: Int

  /// Connections that carry a stream.
  let streams: Int

  /// Ended connections that wait for their clients' ends.
  static let lingering = 256

  /// For everything else that a process opens: databases, logs, the other half of a hand-off.
  static let reserve = 128

  /// Shares out `available` descriptors: what is asked for where that fits, and otherwise an eighth
  /// for requests and the rest for streams, which stay.
  init(connections: Int, streams: Int, available: Int) {
    let connections = max(1, connections)
    let streams = max(0, streams)
    let available = max(4, available - Self.reserve - Self.lingering)
    let least = max(1, available / 8)
    self.connections = min(connections, max(least, available - min(streams, available)))
    self.streams = min(streams, available - self.connections)
  }

  /// Raises the process's soft limit as far as the settings can use it, and shares out what the
  /// system grants.
  init(raisingLimitFor limits: MicrohttpdServer.Settings.Limits) {
    var limit = rlimit()
    guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
      self.init(connections: limits.connections, streams: limits.streams, available: 1024)
      return
    }
    let (sum, overflows) = limits.connections.addingReportingOverflow(limits.streams)
    let wanted =
      rlim_t(clamping: overflows ? Int.max : sum) &+ rlim_t(Self.reserve + Self.lingering)
    if limit.rlim_cur < wanted {
      var raised = limit
      raised.rlim_cur = min(limit.rlim_max, wanted)
      if unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &raised) == 0 {
        limit = raised
      }
    }
    self.init(
      connections: limits.connections, streams: limits.streams,
      available: Int(clamping: limit.rlim_cur))
  }
}
