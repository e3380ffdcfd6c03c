public import Synchronization

/// Remembers the JSON of a few values that are nothing but bits, such as an enum without payload or
/// with a number for one.
///
/// A reactor makes the same few mutations over and over, and to encode one costs as much as the rest
/// of folding it in; most of that are the generic containers that `Codable` makes for each.
///
/// What such a value is encoded to must depend on the value alone: an `encode(to:)` that asks a clock
/// or a global gets the text of an earlier time. Any thread.
public final class JSONMemo<Value: Encodable>: Sendable {
  /// A value has one place, which the latest of those that share it keeps.
  @usableFromInline let entries = Mutex(InlineArray<8, MemoEntry?>(repeating: nil))

  /// Makes an empty memo; `nil` for values that are more than a few bits or refer to others, whose
  /// bits do not tell what they are.
  public init?() {
    guard _isPOD(Value.self), MemoryLayout<Value>.size <= MemoryLayout<ValueBits>.size else {
      return nil
    }
  }

  /// The JSON of a value, encoded where it is not known.
  ///
  /// Bits between the parts of a value may differ though the values are equal; it is encoded again
  /// then.
  @inlinable
  public func text(
    of value: Value, orEncode encode: (Value) throws -> [UInt8]
  ) rethrows -> [UInt8] {
    let bits = ValueBits(value)
    let known = entries.withLock { $0[bits.place] }
    if let known, known.bits == bits { return known.text }
    let text = try encode(value)
    if text.count <= Self.longest {
      entries.withLock { $0[bits.place] = MemoEntry(bits: bits, text: text) }
    }
    return text
  }

  /// Longer texts are not kept.
  @usableFromInline static var longest: Int { 256 }
}

/// The bits of a small value; those beyond its size are zero.
///
/// It and the entries are no members of the memo, whose types they would be generic in.
@usableFromInline
struct ValueBits: Equatable, Sendable {
  @usableFromInline var low: UInt64 = 0
  @usableFromInline var high: UInt64 = 0

  @inlinable
  init<Value>(_ value: Value) {
    withUnsafeBytes(of: value) { source in
      withUnsafeMutableBytes(of: &self) { $0.copyMemory(from: source) }
    }
  }

  /// One of eight places: the product's highest bits (Knuth, The Art of Computer Programming, 6.4,
  /// multiplicative hashing).
  @inlinable
  var place: Int {
    Int(truncatingIfNeeded: ((low ^ high) &* 0x9E37_79B9_7F4A_7C15) >> 61)
  }
}

/// A value that is known, and its JSON.
@usableFromInline
struct MemoEntry: Sendable {
  @usableFromInline let bits: ValueBits
  @usableFromInline let text: [UInt8]

  @inlinable
  init(bits: ValueBits, text: [UInt8]) {
    self.bits = bits
    self.text = text
  }
}
