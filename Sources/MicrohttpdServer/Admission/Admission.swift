internal import ReactorHTTP
internal import Synchronization

/// Who may have one more connection.
///
/// A connection counts from its accepting to its closing, whether it serves requests or carries a
/// stream.
final class Admission: Sendable {
  /// What becomes of a new connection.
  enum Verdict {
    /// It is welcome; the permit, where it is counted, lives as long as the connection.
    case welcome(ConnectionPermit?)
    /// Its client has as many as one may have.
    case refused
  }

  private let limit: Int
  private let isExempt: @Sendable (ClientAddress) -> Bool
  private let counts = Mutex(AddressCounts())

  init(limits: MicrohttpdServer.Settings.Limits) {
    limit = limits.connectionsPerAddress
    isExempt = limits.isExempt
  }

  /// Decides on a connection; one without an address comes from this machine and is never counted.
  func admit(_ address: ClientAddress?) -> Verdict {
    guard limit > 0, let address, !isExempt(address) else { return .welcome(nil) }
    let client = address.network
    guard counts.withLock({ $0.enter(client, limit: limit) }) else { return .refused }
    return .welcome(ConnectionPermit(client, self))
  }

  fileprivate func leave(_ client: ClientAddress) { counts.withLock { $0.leave(client) } }
}

/// A client's right to one connection, given back when the last one who holds it lets go.
final class ConnectionPermit: Sendable {
  private let client: ClientAddress
  private let admission: Admission

  fileprivate init(_ client: ClientAddress, _ admission: Admission) {
    self.client = client
    self.admission = admission
  }

  deinit { admission.leave(client) }
}
