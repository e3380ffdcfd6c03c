/// An error for tests, identified by its name.
public struct TestError: Error, Hashable, CustomStringConvertible {
  /// The default error.
  public static let test = TestError("test")

  /// The name.
  public let name: String

  /// Creates an error.
  public init(_ name: String) {
    self.name = name
  }

  /// The type and the name.
  public var description: String {
    "TestError(\(name))"
  }
}
