/// Runs work later.
///
/// Time is a parameter, so that a test can bring its own.
public protocol SchedulerType: Sendable {
  /// The time, counted from a moment that stays the same.
  var now: Duration { get }

  /// Runs work after a time, once; a time that is not positive means as soon as possible.
  ///
  /// - Returns: What keeps the work from running if it has not begun.
  func schedule(
    after delay: Duration, _ work: @escaping @Sendable () -> Void
  ) -> any Disposable
}
