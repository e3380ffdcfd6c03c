/// Which type the standard library keys a dictionary's members by.
///
/// Dictionaries have no order, and a State must always give the same bytes, so their members are
/// sorted. The type is private to the library; encoding an empty dictionary shows it.
enum DictionaryKeys {
  /// The identity of the type; an identity that no keys have, should the library not show it.
  static let type: ObjectIdentifier = {
    let witness = Witness()
    try? [String: Bool]().encode(to: witness)
    return witness.keys ?? ObjectIdentifier(Never.self)
  }()

  /// An encoder that only notes which keys it is asked for.
  private final class Witness: Encoder {
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
  /// A keyed container whose members stay in the order in which they are written.
  fileprivate func openObject<Key: CodingKey>(
    keyedBy type: Key.Type
  ) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(JSONKeyedOutput<Key>(output: output, place: output.open(.object)))
  }
}
