/// What the operators and subjects themselves fail with.
///
/// The cases carry RxSwift's names; the object that RxSwift adds to ``disposed`` is left out.
public enum RxError: Error, Hashable {
  /// The subject was used after `dispose()`.
  case disposed

  /// An index or a count was outside of what the stream has.
  case argumentOutOfRange

  /// The stream completed without the element that was asked for.
  case noElements

  /// The stream emitted a second element where one was asked for.
  case moreThanOneElement

  /// An element did not come in time.
  case timeout
}
