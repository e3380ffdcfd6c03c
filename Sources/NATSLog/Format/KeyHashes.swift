internal import ReactorLog

/// Short hashes of the idempotency keys of clients that have outcomes.
///
/// A key whose hash is not included has no outcome. A key whose hash is included can still have
/// none: with 10,000 hashes, that is so for 1 of 1,700 keys without an outcome. Numbered keys are
/// not hashed, see ``NumberMarks``.
struct KeyHashes: Equatable, Sendable {
  /// The hashes, 24 bits each, in the order of their outcomes.
  private(set) var values: [UInt32] = []

  var count: Int { values.count }

  /// The hash of a key, or `nil` for a numbered one.
  ///
  /// Stored messages contain the hashes, so that the function must not change: FNV-1a, with its 64
  /// bits folded to 24.
  static func hash(of name: String) -> UInt32? {
    guard IdempotencyKey.number(in: name) == nil else { return nil }
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in name.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    return UInt32(truncatingIfNeeded: hash ^ hash >> 24 ^ hash >> 48) & 0xFF_FFFF
  }

  /// Adds the keys of outcomes.
  mutating func add(_ outcomes: [StoredOutcome]) {
    for outcome in outcomes {
      if let hash = Self.hash(of: outcome.key.name) { values.append(hash) }
    }
  }

  mutating func add(_ other: KeyHashes) { values += other.values }

  // MARK: Text

  /// Appends the hashes as a string, four characters of Base64 each.
  func put(into text: inout [UInt8]) {
    text.put("\"")
    text.reserveCapacity(text.count + 4 * count + 1)
    for value in values {
      for shift in [18, 12, 6, 0] as [UInt32] {
        text.append(Base64.letters[Int(value >> shift & 63)])
      }
    }
    text.put("\"")
  }

  init() {}

  /// Reads the output of ``put(into:)`` without the quotation marks, or returns `nil` for anything else.
  init?(_ text: String) {
    guard text.utf8.count.isMultiple(of: 4), let bytes = Base64.decode(Array(text.utf8)[...]),
      bytes.count.isMultiple(of: 3)
    else { return nil }
    values.reserveCapacity(bytes.count / 3)
    for start in stride(from: 0, to: bytes.count, by: 3) {
      values.append(
        UInt32(bytes[start]) << 16 | UInt32(bytes[start + 1]) << 8 | UInt32(bytes[start + 2]))
    }
  }
}
