/// An error that makes a store in PostgreSQL unusable.
package struct PostgresLogError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The reason and its remedy: one line, without a password.
  package let description: String

  /// Whether the database could not be reached, so that a later attempt can succeed.
  package let isTemporary: Bool

  /// Whether the lines of an import are invalid.
  package let isInvalidInput: Bool

  init(_ description: String, isTemporary: Bool = false, isInvalidInput: Bool = false) {
    self.description = description
    self.isTemporary = isTemporary
    self.isInvalidInput = isInvalidInput
  }
}
