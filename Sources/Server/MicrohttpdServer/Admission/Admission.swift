internal import ReactorTransport
internal import Shares

/// Decides which connections are accepted: by the share of their client, and by `limits.address`.
final class Admission: Sendable {
  /// The holdings of an accepted connection.
  struct Place: Sendable {
    /// The account of its client, or `nil` for connections of many clients, as those of a trusted proxy.
    var account: Account?

    /// Whether the account holds a place in the table of connections.
    var isCounted = false

    /// The connection's share of `limits.address`, or `nil` without this limit.
    var permit: ConnectionPermit?
  }

  private let limits: MicrohttpdServer.Settings.Limits
  private let ledger: Ledger

  init(settings: MicrohttpdServer.Settings) {
    limits = settings.limits
    ledger = settings.ledger
  }

  /// Decides whether to accept a connection.
  ///
  /// - Parameters:
  ///   - address: The address of its client, or `nil` for a Unix-domain socket.
  ///   - isReserved: Whether it is one of the reserved connections, which are not shared.
  ///   - makeRoom: Closes an idle connection of the client; returns whether there was one.
  /// - Returns: The holdings of the connection, or the reason for its rejection.
  func admit(
    _ address: ClientAddress?, isReserved: Bool, orAfter makeRoom: (Account) -> Bool
  ) -> Result<Place, HTTPRejection> {
    guard !limits.isExempt(address) else { return .success(Place()) }
    let account = ledger.account(of: ClientAddress.client(of: address))
    var place = Place(account: account)
    if limits.connectionsPerAddress > 0 {
      guard let permit = ConnectionPermit(account, limit: limits.connectionsPerAddress) else {
        return .failure(.tooManyConnectionsOfAddress(limit: limits.connectionsPerAddress))
      }
      place.permit = permit
    }
    guard !isReserved else { return .success(place) }
    // The place of a connection that is being closed becomes free a moment later.
    if !account.acquire(.connections, of: limits.connections) {
      guard makeRoom(account) else {
        return .failure(.tooManyConnections(limit: limits.connections))
      }
      account.take(.connections)
    }
    place.isCounted = true
    return .success(place)
  }
}

/// A connection's share of `limits.address`, returned when the permit is released.
///
/// A connection counts from `accept` to `close`, whether it serves requests or a stream.
final class ConnectionPermit: Sendable {
  private let account: Account

  /// Counts a connection, or returns `nil` if its client has reached the limit.
  init?(_ account: Account, limit: Int) {
    guard account.take(.sockets) <= limit else {
      account.release(.sockets)
      return nil
    }
    self.account = account
  }

  deinit { account.release(.sockets) }
}
