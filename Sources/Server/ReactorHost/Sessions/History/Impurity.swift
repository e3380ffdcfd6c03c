/// The first difference between two folds of a log, which shows that a reactor is not pure.
public struct Impurity: Equatable, Sendable {
  /// The reason for which the folds differ.
  public enum Cause: Equatable, Sendable {
    /// Two instances have different initial States.
    case initialState

    /// `reduce` has returned different States for the same State and mutation.
    case reduce

    /// `reduce` depends on what the JSON of the State does not have: a member that is not encoded, or
    /// the order of a set.
    case unencoded

    /// The JSON of a type, named, is not a function of its value.
    case encoding(type: String)

    /// The JSON of a `PlainState` has changed although its values have not.
    case plainState

    /// A State or a mutation does not decode from its own JSON.
    case decoding

    /// A snapshot of the live session is not the fold of its log.
    case snapshot
  }

  /// The maximum number of characters of ``first`` and ``second``.
  static let valueLimit = 200

  /// The version whose State differs.
  public let version: Int

  /// The reason for which the folds differ.
  public let cause: Cause

  /// The JSON pointer of the first value that differs in the State.
  public let pointer: String

  /// The JSON of the value in the live session or in the first fold, cut to 200 characters.
  public let first: String

  /// The JSON of the value in the second fold, cut to 200 characters.
  public let second: String

  /// Creates a difference, with values of any length.
  package init(version: Int, _ cause: Cause, at pointer: String, _ first: String, _ second: String)
  {
    func cut(_ text: String) -> String {
      text.count > Self.valueLimit ? text.prefix(Self.valueLimit - 1) + "…" : text
    }
    self.version = version
    self.cause = cause
    self.pointer = pointer
    self.first = cut(first)
    self.second = cut(second)
  }

  /// The error and its remedy, in one sentence without a full stop.
  public var remedy: String {
    switch cause {
    case .initialState:
      "initialState differs between two instances: it must depend on the session and its parameters only"
    case .reduce:
      """
      reduce is not pure: move random numbers, the clock, variables of the reactor and other calls to \
      mutate, and their results into the mutation
      """
    case .unencoded:
      """
      reduce depends on what the JSON of the State does not have, a member that is not encoded or the \
      order of a set: encode the member, sort the elements
      """
    case .encoding(let type):
      "the JSON of \(type) is not a function of its value: sort what its encode(to:) writes"
    case .plainState:
      """
      the JSON of a PlainState has changed although its values have not: remove the conformance, or the \
      objects, clocks and variables that encode(to:) reads
      """
    case .decoding:
      "a State or a mutation cannot be decoded from its own JSON: correct its init(from:)"
    case .snapshot:
      """
      the snapshot of version \(version) is not the fold of the log: reduce is not pure, or another \
      release of it has computed the snapshot
      """
    }
  }
}

extension Impurity: CustomStringConvertible {
  /// The version, the remedy and both values, in one line.
  public var description: String {
    "version \(version): \(remedy); at \"\(pointer)\" \(first) differs from \(second)"
  }
}
