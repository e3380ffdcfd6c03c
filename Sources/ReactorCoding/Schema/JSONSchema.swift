/// Temporary.
public enum JSONSchema {
  /// Temporary.
  public enum Direction { case input, output }
  /// Temporary.
  public static func derive<T: Decodable>(_ type: T.Type, for d: Direction) -> JSONValue {
    .object([])
  }
}
