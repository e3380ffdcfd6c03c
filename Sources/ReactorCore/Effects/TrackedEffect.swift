/// Tracks the effects of one action.
///
/// Both functions are called in the pipeline's serial context.
@usableFromInline
package protocol TrackedEffect: AnyObject, Sendable {
  /// A part of the effect has begun.
  func begin()

  /// A part has completed, failed, or was cancelled with a `CancellationError`. When every part
  /// that has begun has ended, all mutations of the effect have been reported.
  func end(_ error: (any Error)?)
}
