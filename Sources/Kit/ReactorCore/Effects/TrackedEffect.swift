/// Tracks the effects of one action.
///
/// The functions are called in the pipeline's serial context.
@usableFromInline
package protocol TrackedEffect: AnyObject, Sendable {
  /// A part of the effect has begun.
  func begin()

  /// The request of the action gets its response when the mutations so far are committed.
  ///
  /// - Parameter continuation: Called then, on any thread; not called if the session ends before.
  func answer(then continuation: @escaping @Sendable () -> Void)

  /// A part has completed, failed, or was cancelled with a `CancellationError`. When every part
  /// that has begun has ended, all mutations of the effect have been reported.
  func end(_ error: (any Error)?)
}

extension TrackedEffect {
  @usableFromInline
  package func answer(then continuation: @escaping @Sendable () -> Void) { continuation() }
}
