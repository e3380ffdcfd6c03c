/// The errors of operators and subjects.
///
/// The cases have RxSwift's names; ``disposed`` has no object.
public enum RxError: Error, Hashable {
  /// An unknown error.
  case unknown

  /// The subject was disposed of.
  case disposed

  /// More elements arrived than may be stored, see ``ValueBuffering/bounded(_:)``.
  case overflow

  /// An index or a count is out of range.
  case argumentOutOfRange

  /// The stream completed without the required element.
  case noElements

  /// The stream emitted more than one element.
  case moreThanOneElement

  /// No element arrived in time.
  case timeout
}
