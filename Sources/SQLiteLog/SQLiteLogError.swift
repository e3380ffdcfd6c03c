/// An error that makes a store unusable.
///
/// The store is unchanged.
public struct SQLiteLogError: Error, Equatable, Sendable {
  /// The kind of an error.
  public struct Code: Equatable, Sendable {
    private enum Kind { case cannotCreate, noSpace, inUse, unsuitable, unreadable, invalidInput }

    private let kind: Kind

    /// The file, its folder or its lock cannot be created, opened or written.
    public static let cannotCreate = Code(kind: .cannotCreate)

    /// No space is left to migrate the store, or to copy one of an earlier release.
    public static let noSpace = Code(kind: .noSpace)

    /// Another process has locked the store.
    public static let inUse = Code(kind: .inUse)

    /// The file is no store: no regular file, no database, another program's, or a later version's.
    public static let unsuitable = Code(kind: .unsuitable)

    /// The store cannot be read.
    public static let unreadable = Code(kind: .unreadable)

    /// The lines of an import are invalid.
    public static let invalidInput = Code(kind: .invalidInput)
  }

  /// The kind of the error.
  public let code: Code

  /// The reason: one line without a full stop, which names the file.
  public let message: String

  /// Creates an error.
  public init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }
}

extension SQLiteLogError: CustomStringConvertible {
  /// The message.
  public var description: String { message }
}
