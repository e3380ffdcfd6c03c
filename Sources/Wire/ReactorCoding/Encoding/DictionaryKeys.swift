/// Identifies the coding key type that the standard library uses for dictionaries.
///
/// Dictionaries are unordered, and equal States must have equal bytes, so their members are sorted.
/// The key type is private to the standard library; encoding an empty dictionary reveals it.
enum DictionaryKeys {
  /// The identity of the key type; `Never`, which matches no keys, if it cannot be determined.
  static let type: ObjectIdentifier = {
    let recorder = KeyTypeRecorder()
    try? [String: Bool]().encode(to: recorder)
    return recorder.keys ?? ObjectIdentifier(Never.self)
  }()

  /// An encoder that records the key type it is called with.
  private final class KeyTypeRecorder: Encoder {
    var keys: ObjectIdentifier?
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
      keys = ObjectIdentifier(type)
      return JSONOutputEncoder(output: JSONOutput(), inside: nil).openObject(keyedBy: type)
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
      JSONOutputEncoder(output: JSONOutput(), inside: nil).unkeyedContainer()
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
      JSONOutputEncoder(output: JSONOutput(), inside: nil)
    }
  }
}

extension JSONOutputEncoder {
  /// Opens a keyed container whose members stay in encoding order.
  fileprivate func openObject<Key: CodingKey>(
    keyedBy type: Key.Type
  ) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(JSONKeyedOutput<Key>(output: output, place: output.open(.object)))
  }
}
