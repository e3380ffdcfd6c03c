/// One point of one history: `{epoch}-{version}`.
public struct Cursor: Hashable, Sendable, CustomStringConvertible {
  /// Which history: made when the session is.
  public let epoch: String

  /// How many mutations the state contains.
  public let version: Int

  /// Makes a cursor.
  public init(epoch: String, version: Int) {
    self.epoch = epoch
    self.version = version
  }

  /// Reads a cursor; `nil` for anything that the host would not have written.
  public init?(_ text: some StringProtocol) {
    let bytes = Array(text.utf8)
    guard bytes.count <= 64, let dash = bytes.lastIndex(of: UInt8(ascii: "-")) else { return nil }
    let digits = bytes[(dash + 1)...]
    guard dash > 0, !digits.isEmpty, digits.count == 1 || digits.first != UInt8(ascii: "0"),
      digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
      bytes[..<dash].allSatisfy(Self.isPart),
      let version = Int(String(decoding: digits, as: UTF8.self))
    else { return nil }
    epoch = String(decoding: bytes[..<dash], as: UTF8.self)
    self.version = version
  }

  /// Whether a byte may stand in a cursor.
  private static func isPart(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"),
      UInt8(ascii: "-"):
      true
    default: false
    }
  }

  /// The cursor as clients see it.
  public var description: String { NumberedName(epoch, version).text }

  /// The cursor as an entity tag.
  package var tag: String { entityTag.text }

  /// The cursor as an entity tag, not written yet.
  package var entityTag: NumberedName { NumberedName(epoch, version, quote: UInt8(ascii: "\"")) }
}

/// Makes the names of histories.
enum Epoch {
  /// Base 32 without the letters that are mistaken for digits, after Crockford.
  private static let alphabet = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)

  /// A name that no other history has: 40 random bits beside the session's own address.
  static func random() -> String {
    random(characters: 8)
  }

  static func random(characters count: Int) -> String {
    var generator = SystemRandomNumberGenerator()
    // Five bits a character: one draw, which is a system call, is enough for twelve of them.
    var bits: UInt64 = 0
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count)
    for index in 0..<count {
      if index % 12 == 0 { bits = generator.next() }
      bytes.append(alphabet[Int(truncatingIfNeeded: bits & 31)])
      bits >>= 5
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
