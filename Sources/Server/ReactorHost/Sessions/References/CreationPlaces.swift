internal import ReactorCore
internal import ReactorLog
internal import ReactorSessions
internal import Shares
internal import Synchronization

/// The sessions that sends are about to create, counted for the clients whose requests caused the sends.
///
/// The first action of a session stores it. Until then, all sends to the session share one place of the quota of
/// the client that sent first. Bounded by the number of running effects.
final class CreationPlaces: Sendable {
  /// The part of one send in the place of a session.
  struct Place: Sendable {
    fileprivate let places: CreationPlaces
    fileprivate let limiter: ClientLimiter
    fileprivate let session: any Session

    /// Ends the part: the action is durable, or was not executed.
    func release() { places.release(self) }
  }

  private struct Entry {
    let client: Client
    var sends = 1
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
    let (key, client) = (session.key, account.client)
    let isGranted = entries.withLock { entries in
      if entries[key] != nil {
        entries[key]?.sends += 1
        return true
      }
      if context.isUnattended {
        limiter.count(client)
      } else if !limiter.take(client) {
        return false
      }
      entries[key] = Entry(client: client)
      return true
    }
    guard isGranted else { throw .tooManyCreations(key) }
    return Place(places: self, limiter: limiter, session: session)
  }

  private func release(_ place: Place) {
    let isUsed = place.session.takeCreation()
    let unused = entries.withLock { entries -> Client? in
      guard var entry = entries[place.session.key] else { return nil }
      entry.sends -= 1
      entry.isUsed = entry.isUsed || isUsed
      entries[place.session.key] = entry.sends > 0 ? entry : nil
      return entry.sends == 0 && !entry.isUsed ? entry.client : nil
    }
    if let unused { place.limiter.giveBack(unused) }
  }
}
