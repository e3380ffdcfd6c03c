internal import Synchronization

/// Bounds the number of running effects: of one reactor, and of all reactors that share the quota.
@usableFromInline
package final class EffectQuota: Sendable {
  /// The maximum number of running effects of one reactor.
  package let perReactor: Int

  /// The maximum number of running effects of all reactors.
  package let total: Int

  private let count = Atomic<Int>(0)

  /// Creates a quota.
  package init(perReactor: Int, total: Int) {
    self.perReactor = perReactor
    self.total = total
  }

  /// The number of running effects.
  package var runningCount: Int {
    count.load(ordering: .relaxed)
  }

  /// Adds an effect of a reactor, unless a limit is reached.
  ///
  /// - Parameter running: The number of running effects of the reactor.
  /// - Returns: The error of the effect if it is rejected.
  func acquire(running: Int) -> EffectLimitError? {
    guard running < perReactor else {
      return EffectLimitError(limit: perReactor, isOfReactor: true)
    }
    guard count.add(1, ordering: .relaxed).newValue > total else { return nil }
    release()
    return EffectLimitError(limit: total, isOfReactor: false)
  }

  /// Removes an effect.
  func release() {
    count.subtract(1, ordering: .relaxed)
  }
}

/// The error of an action whose effect is not started because too many effects are running.
public struct EffectLimitError: ActionError, Equatable {
  /// The number of running effects.
  public let limit: Int

  /// Whether the limit is the one of the reactor, or the one of all reactors of a host.
  public let isOfReactor: Bool

  /// 503: the action can succeed later.
  public var status: Int { 503 }

  /// A short sentence for people.
  public var title: String { "Too many effects are running" }

  /// The limit and a remedy.
  public var detail: String? {
    isOfReactor
      ? "At most \(limit) effects of a session run at a time. Cancel one, or wait for its end."
      : "At most \(limit) effects run at a time in this service. Try again later."
  }
}
