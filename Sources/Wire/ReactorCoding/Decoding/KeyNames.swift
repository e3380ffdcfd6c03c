/// Finds the key for a name of the JSON text without comparing hostile names as `String`.
///
/// The synthesized `init(stringValue:)` compares the name with each case by `==`, which takes
/// quadratic time for a long run of combining marks. If the keys of the type can be listed, a name
/// that is not ASCII is compared with their names byte by byte instead, and one that equals none
/// never reaches `init(stringValue:)`. Comparing ASCII is cheap, and other types, such as the keys
/// of dictionaries, store the name.
struct KeyNames<Key: CodingKey> {
  private lazy var keys = CaseShape.allKeys(of: Key.self)

  mutating func key(named name: String) -> Key? {
    guard !name.isASCII, let keys else { return Key(stringValue: name) }
    return keys.first { $0.stringValue.hasSameBytes(as: name) }
  }
}

extension String {
  /// Whether all characters are ASCII.
  var isASCII: Bool {
    let bytes = utf8.span
    for index in bytes.indices where bytes[index] >= 0x80 { return false }
    return true
  }
}
