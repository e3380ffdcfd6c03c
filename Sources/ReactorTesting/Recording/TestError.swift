/// A failure for tests, told from others by its name.
public struct TestError: Error, Hashable, CustomStringConvertible {
  /// The failure that is meant where none is named.
  public static let test = TestError("test")

  /// What tells it from others.
  public let name: String

  /// Makes a failure.
  public init(_ name: String) {
    self.name = name
  }

  /// The failure's name.
  public var description: String {
    "TestError(\(name))"
  }
}
