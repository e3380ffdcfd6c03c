internal import ReactorCore
internal import ReactorLog
internal import ReactorSessions
package import Shares
internal import Synchronization

/// The sessions that actions are about to create, counted for the clients whose requests caused the actions.
///
/// The first action of a session stores it. Until then, all actions of the session share one place of the quota
/// of the client whose action was first. Bounded by the number of requests and running effects.
package final class CreationPlaces: Sendable {
  /// The part of one action in the place of a session.
  package struct Place: Sendable {
    fileprivate let places: CreationPlaces
    fileprivate let limiter: ClientLimiter
    fileprivate let session: any Session

    /// Ends the part: the action is durable, or was not executed.
    package func release() { places.release(self) }
  }

  private struct Entry {
    let client: Client
    var actions = 1
    var isUsed = false
  }

  private let ledger: Ledger
  private let entries = Mutex<[SessionKey: Entry]>([:])

  init(_ ledger: Ledger) {
    self.ledger = ledger
  }

  /// Reserves the place of a session that a send may create.
  ///
  /// A send for which no client waits is counted and not rejected: its action was acknowledged.
  ///
  /// - Returns: The place, or `nil` if the session exists, or nothing is counted.
  /// - Throws: ``SessionSendError/tooManyCreations(_:)`` beyond the quota.
  func place(
    of session: any Session, for context: RequestContext
  ) throws(SessionSendError) -> Place? {
    guard let limiter = ledger.creationLimiter, !context.isExempt, let account = context.account,
      !session.isStored
    else { return nil }
    let place = place(
      of: session, for: account.client, limiter, isAcknowledged: context.isUnattended)
    guard let place else { throw .tooManyCreations(session.key) }
    return place
  }

  /// Reserves the place of a session that an action may create.
  ///
  /// - Parameters:
  ///   - session: The session, which is not stored.
  ///   - client: The client that is counted, unless another one has reserved the place.
  ///   - limiter: The quotas.
  ///   - isAcknowledged: Whether the action is executed beyond the quota as well.
  /// - Returns: The place, or `nil` beyond the quota.
  package func place(
    of session: any Session, for client: Client, _ limiter: ClientLimiter,
    isAcknowledged: Bool = false
  ) -> Place? {
    let key = session.key
    let isGranted = entries.withLock { entries in
      if entries[key] != nil {
        entries[key]?.actions += 1
        return true
      }
      if isAcknowledged {
        limiter.count(client)
      } else if !limiter.take(client) {
        return false
      }
      entries[key] = Entry(client: client)
      return true
    }
    return isGranted ? Place(places: self, limiter: limiter, session: session) : nil
  }

  private func release(_ place: Place) {
    let isUsed = place.session.takeCreation()
    let unused = entries.withLock { entries -> Client? in
      guard var entry = entries[place.session.key] else { return nil }
      entry.actions -= 1
      entry.isUsed = entry.isUsed || isUsed
      entries[place.session.key] = entry.actions > 0 ? entry : nil
      return entry.actions == 0 && !entry.isUsed ? entry.client : nil
    }
    if let unused { place.limiter.giveBack(unused) }
  }
}
