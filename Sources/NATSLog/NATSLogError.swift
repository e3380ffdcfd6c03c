/// An error that makes a store unusable.
public struct NATSLogError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The reason: one line without a full stop.
  public let description: String

  /// Whether a retry may succeed: the brokers are away or have no leader yet.
  public let isTemporary: Bool

  /// Whether a line of an import is invalid.
  public let isInvalidInput: Bool

  /// Creates an error.
  init(_ description: String, isTemporary: Bool = false, isInvalidInput: Bool = false) {
    self.description = description
    self.isTemporary = isTemporary
    self.isInvalidInput = isInvalidInput
  }
}
