package import Shares
internal import Synchronization

/// Bounds the number of running effects: of one reactor, and of all reactors that share the ledger, whose
/// clients share the places.
///
/// A quota within another quota has the limits of the outer quota. It counts the effects of a part of the
/// reactors.
@usableFromInline
package final class EffectQuota: Sendable {
  /// The maximum number of running effects of one reactor.
  package let perReactor: Int

  /// The maximum number of running effects of all reactors.
  package let total: Int

  private let count = Atomic<Int>(0)
  private let ledger: Ledger

  /// Creates a quota.
  package init(perReactor: Int, total: Int, in ledger: Ledger = Ledger()) {
    self.perReactor = perReactor
    self.total = total
    self.ledger = ledger
  }

  /// Creates a quota within another quota.
  package init(within outer: EffectQuota) {
    perReactor = outer.perReactor
    total = outer.total
    ledger = outer.ledger
  }

  /// The number of running effects.
  package var runningCount: Int {
    count.load(ordering: .relaxed)
  }

  /// Adds an effect of a reactor, unless a limit is reached.
  ///
  /// - Parameters:
  ///   - running: The number of running effects of the reactor.
  ///   - account: The account of the client, or `nil` for none.
  /// - Returns: The error of the effect if it is rejected.
  func acquire(running: Int, for account: Account?) -> EffectLimitError? {
    guard running < perReactor else {
      return EffectLimitError(limit: perReactor, isOfReactor: true)
    }
    guard ledger.acquire(.effects, of: total, for: account) else {
      return EffectLimitError(limit: total, isOfReactor: false)
    }
    count.add(1, ordering: .relaxed)
    return nil
  }

  /// Removes an effect.
  func release(of account: Account?) {
    count.subtract(1, ordering: .relaxed)
    ledger.release(.effects, of: account)
  }
}

/// The error of an action whose effect is not started because too many effects are running.
public struct EffectLimitError: ActionError, Equatable {
  /// The maximum number of running effects.
  public let limit: Int

  /// Whether the limit is that of one reactor; otherwise it is that of all reactors of a host.
  public let isOfReactor: Bool

  /// 503: the action can succeed later.
  public var status: Int { 503 }

  /// The code of all errors of this kind.
  package static let code = "effectLimitError"

  /// The kind of error, for programs.
  public var code: String { Self.code }

  /// A short summary for display.
  public var title: String { "Too many effects are running" }

  /// The limit and how to resolve the error.
  public var detail: String? {
    isOfReactor
      ? "At most \(limit) effects of a session run at a time. Cancel one, or wait for its end."
      : "At most \(limit) effects run at a time in this service, and a client has at most as many as remain for "
        + "the others: you have your share. Cancel one, or wait for its end."
  }
}
