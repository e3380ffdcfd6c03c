internal import Synchronization

/// Bounds the number of running effects: of one reactor, and of all reactors that share the quota.
///
/// A quota within another one shares its limits, and counts the effects of some of its reactors.
@usableFromInline
package final class EffectQuota: Sendable {
  /// The maximum number of running effects of one reactor.
  package let perReactor: Int

  /// The maximum number of running effects of all reactors.
  package let total: Int

  private let count = Atomic<Int>(0)
  private let outer: EffectQuota?

  /// Creates a quota.
  package init(perReactor: Int, total: Int) {
    self.perReactor = perReactor
    self.total = total
    outer = nil
  }

  /// Creates a quota within another one.
  package init(within outer: EffectQuota) {
    perReactor = outer.perReactor
    total = outer.total
    self.outer = outer
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
    guard acquireOne() else { return EffectLimitError(limit: total, isOfReactor: false) }
    return nil
  }

  /// Adds an effect to this quota and the outer one; returns whether both are within the limit.
  private func acquireOne() -> Bool {
    guard outer?.acquireOne() != false else { return false }
    if count.add(1, ordering: .relaxed).newValue <= total { return true }
    release()
    return false
  }

  /// Removes an effect.
  func release() {
    count.subtract(1, ordering: .relaxed)
    outer?.release()
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
