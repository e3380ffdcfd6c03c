/// A position in a session's log: `{epoch}-{version}`.
public struct Cursor: Hashable, Sendable, CustomStringConvertible {
  /// The name of the history, chosen when the session is created.
  public let epoch: String

  /// The number of mutations that the state contains.
  public let version: Int

  /// Creates a cursor.
  public init(epoch: String, version: Int) {
    self.epoch = epoch
    self.version = version
  }

  /// Parses a cursor, or returns `nil` for any text that is not the description of a cursor.
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

  /// Returns whether a byte is allowed in an epoch.
  private static func isPart(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"),
      UInt8(ascii: "-"):
      true
    default: false
    }
  }

  /// The cursor in the form that clients use.
  public var description: String { IdentifierWriter(epoch, version).text }

  /// The cursor as an entity tag.
  package var tag: String { entityTag.text }

  /// Writes the cursor as an entity tag.
  package var entityTag: IdentifierWriter {
    IdentifierWriter(epoch, version, quote: UInt8(ascii: "\""))
  }
}

/// Creates the names of histories.
package enum Epoch {
  /// Crockford's base 32: no letters that resemble digits.
  private static let alphabet = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)

  /// Returns a name of 40 random bits, which is unique among the histories of a session.
  package static func random() -> String {
    random(characters: 8)
  }

  /// Returns the name that this process assigns to the first history of a session, even before the
  /// session exists.
  ///
  /// A client can therefore read the State of a session that does not exist, and send its first
  /// action with `If-Match`. Other processes assign other names.
  package static func first(of key: SessionKey) -> String {
    var hasher = Hasher()
    hasher.combine(seed)
    hasher.combine(key)
    return name(bits: UInt64(bitPattern: Int64(hasher.finalize())))
  }

  /// Returns the name of the history of a session that does not exist, and would begin with a State other
  /// than the initial one.
  package static func first(of key: SessionKey, showing state: [UInt8]) -> String {
    var hasher = Hasher()
    hasher.combine(seed)
    hasher.combine(key)
    hasher.combine(state)
    return name(bits: UInt64(bitPattern: Int64(hasher.finalize())))
  }

  private static let seed = UInt64.random(in: .min ... .max)

  /// Returns the name of the lowest 40 bits, which is short enough for a string without an
  /// allocation.
  private static func name(bits: UInt64) -> String {
    unsafe String(unsafeUninitializedCapacity: 8) { bytes in
      for index in 0..<8 {
        unsafe bytes[index] = alphabet[Int(truncatingIfNeeded: bits >> UInt64(5 * index) & 31)]
      }
      return 8
    }
  }

  package static func random(characters count: Int) -> String {
    var generator = SystemRandomNumberGenerator()
    // Five bits per character: one random number, which costs a system call, is enough for twelve
    // characters.
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
