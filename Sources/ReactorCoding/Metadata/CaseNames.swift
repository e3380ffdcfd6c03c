/// Finds the names of an enum's cases by asking its `init(from:)` which keys it wants.
enum CaseNames {
  /// The names in the order of their declaration; `nil` for what is no enum with synthesized
  /// coding, or if they cannot be known.
  static func of<Value: Decodable>(_ type: Value.Type) -> [String]? {
    guard EnumMetadata(type) != nil else { return nil }
    let witness = Witness()
    _ = try? type.init(from: witness)
    return witness.names
  }

  /// A decoder that notes the first keys it is asked for, and gives nothing.
  private final class Witness: Decoder {
    private(set) var names: [String]?
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
      if names == nil, EnumMetadata(type)?.isInsideEnum == true {
        names = CaseShape.names(of: type)
      }
      throw Refusal()
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw Refusal() }

    func singleValueContainer() throws -> any SingleValueDecodingContainer { throw Refusal() }
  }

  private struct Refusal: Error {}
}
