/// An error that makes a store unusable.
///
/// The store is unchanged.
package struct SQLiteLogError: Error, Equatable, Sendable {
  /// The kind of an error.
  package struct Code: Equatable, Sendable {
    private enum Kind { case cannotCreate, noSpace, inUse, unsuitable, unreadable, invalidInput }

    private let kind: Kind

    /// The file, its folder or its lock cannot be created, opened or written.
    package static let cannotCreate = Code(kind: .cannotCreate)

    /// No space is left to migrate the store, or to copy one of an earlier release.
    package static let noSpace = Code(kind: .noSpace)

    /// Another process has locked the store.
    package static let inUse = Code(kind: .inUse)

    /// The file is no store: no regular file, no database, another program's, or a later version's.
    package static let unsuitable = Code(kind: .unsuitable)

    /// The store cannot be read.
    package static let unreadable = Code(kind: .unreadable)

    /// The lines of an import are invalid.
    package static let invalidInput = Code(kind: .invalidInput)
  }

  /// The kind of the error.
  package let code: Code

  /// The reason: one line without a full stop, which names the file.
  package let message: String

  /// Creates an error.
  package init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }
}

extension SQLiteLogError: CustomStringConvertible {
  /// The message.
  package var description: String { message }
}
