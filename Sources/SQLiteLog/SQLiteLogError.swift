/// Why a store cannot be used.
///
/// Nothing of it was changed then.
public struct SQLiteLogError: Error, Equatable, Sendable {
  /// The kind of a reason.
  public struct Code: Equatable, Sendable {
    private enum Kind { case cannotCreate, inUse, unsuitable, unreadable }

    private let kind: Kind

    /// The file, its folder or its lock cannot be made or opened.
    public static let cannotCreate = Code(kind: .cannotCreate)

    /// Another process has it.
    public static let inUse = Code(kind: .inUse)

    /// The file is something else: no database, another program's, or a later version's.
    public static let unsuitable = Code(kind: .unsuitable)

    /// It is ours, and reading it fails.
    public static let unreadable = Code(kind: .unreadable)
  }

  /// The kind of the reason.
  public let code: Code

  /// The reason for people: one line without a full stop, which names the file.
  public let message: String

  /// Makes an error.
  public init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }
}

extension SQLiteLogError: CustomStringConvertible {
  /// The message.
  public var description: String { message }
}
