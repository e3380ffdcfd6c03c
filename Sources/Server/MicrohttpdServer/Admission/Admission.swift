internal import ReactorTransport
internal import Synchronization

/// Limits the connections per client.
///
/// A connection counts from `accept` to `close`, whether it serves requests or a stream.
final class Admission: Sendable {
  /// The decision on a new connection.
  enum Verdict {
    /// The connection is admitted; the permit is `nil` for a client without a limit.
    case admitted(ConnectionPermit?)
    /// The connection is rejected: its client has reached the limit.
    case rejected
  }

  /// The limit per client; 0 is no limit.
  let limit: Int
  /// The limit of the machine's own addresses; 0 is no limit.
  ///
  /// `addressShare` does not apply to these addresses: a local client is usually a proxy, which has
  /// the connections of all its clients.
  let loopbackLimit: Int
  private let isExempt: @Sendable (ClientAddress) -> Bool
  private let counts = Mutex(AddressCounts())

  init(limits: MicrohttpdServer.Settings.Limits) {
    limit = limits.effectivePerAddress
    loopbackLimit = limits.connectionsPerAddress
    isExempt = limits.isExempt
  }

  /// Decides whether to admit a connection.
  ///
  /// A connection without an address uses a Unix-domain socket; it is admitted and not counted.
  func admit(_ address: ClientAddress?) -> Verdict {
    guard let address, !isExempt(address) else { return .admitted(nil) }
    let limit = address.isLoopback ? loopbackLimit : limit
    guard limit > 0 else { return .admitted(nil) }
    let client = address.network
    guard counts.withLock({ $0.enter(client, limit: limit) }) else { return .rejected }
    return .admitted(ConnectionPermit(client, self))
  }

  fileprivate func leave(_ client: ClientAddress) { counts.withLock { $0.leave(client) } }
}

/// A connection's share of its client's limit, returned when the permit is released.
final class ConnectionPermit: Sendable {
  private let client: ClientAddress
  private let admission: Admission

  fileprivate init(_ client: ClientAddress, _ admission: Admission) {
    self.client = client
    self.admission = admission
  }

  deinit { admission.leave(client) }
}
