internal import Synchronization

/// Bounds the number of running effects: of one reactor, and of all reactors that share the quota.
///
/// A quota within another quota has the limits of the outer quota. It counts the effects of a part
/// of the reactors; the outer quota counts them as well.
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

  /// Creates a quota within another quota.
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

  /// Adds an effect to this quota and the outer quota; returns whether both are within the limit.
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
  /// The maximum number of running effects.
  public let limit: Int

  /// Whether the limit is that of one reactor; otherwise it is that of all reactors of a host.
  public let isOfReactor: Bool

  /// 503: the action can succeed later.
  public var status: Int { 503 }

  /// A short summary for display.
  public var title: String { "Too many effects are running" }

  /// The limit and how to resolve the error.
  public var detail: String? {
    isOfReactor
      ? "At most \(limit) effects of a session run at a time. Cancel one, or wait for its end."
      : "At most \(limit) effects run at a time in this service. Try again later."
  }
}
