/// Determines the case names of an enum from the keys that its `init(from:)` requests.
enum CaseNames {
  /// Returns the names in declaration order, or `nil` unless the type is an enum with synthesized
  /// coding whose keys can be listed.
  static func of<Value: Decodable>(_ type: Value.Type) -> [String]? {
    guard EnumMetadata(type) != nil else { return nil }
    let recorder = KeyRecorder()
    _ = try? type.init(from: recorder)
    return recorder.names
  }

  /// A decoder that records the first requested key type and then fails.
  private final class KeyRecorder: Decoder {
    private(set) var names: [String]?
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
      if names == nil, EnumMetadata(type)?.isInsideEnum == true {
        names = CaseShape.names(of: type)
      }
      throw NoValue()
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw NoValue() }

    func singleValueContainer() throws -> any SingleValueDecodingContainer { throw NoValue() }
  }

  private struct NoValue: Error {}
}
