public import Synchronization

/// Caches the JSON of a few trivial values, such as enums without associated values or with
/// integers.
///
/// A reactor repeats a few mutations many times, and encoding one costs as much as the rest of
/// folding it, mostly because of the generic containers that `Codable` allocates.
///
/// The encoding must depend on the value alone: an `encode(to:)` that reads a clock or a global
/// would get a stale text. Thread-safe.
public final class JSONMemo<Value: Encodable>: Sendable {
  /// One entry per hash slot; the latest value of a slot replaces the earlier one.
  @usableFromInline let entries = Mutex(InlineArray<8, MemoEntry?>(repeating: nil))

  /// Creates an empty cache, or returns `nil` if the values are larger than 16 bytes or contain references, so
  /// that their bits do not identify them.
  public init?() {
    guard _isPOD(Value.self), MemoryLayout<Value>.size <= MemoryLayout<ValueBits>.size else {
      return nil
    }
  }

  /// Returns the cached JSON of a value, or encodes and caches it.
  ///
  /// Padding bytes of equal values may differ; the value is encoded again in that case.
  @inlinable
  public func text(
    of value: Value, orEncode encode: (Value) throws -> [UInt8]
  ) rethrows -> [UInt8] {
    let bits = ValueBits(value)
    let known = entries.withLock { $0[bits.slot] }
    if let known, known.bits == bits { return known.text }
    let text = try encode(value)
    if text.count <= Self.longest {
      entries.withLock { $0[bits.slot] = MemoEntry(bits: bits, text: text) }
    }
    return text
  }

  /// The longest text that is cached.
  @usableFromInline static var longest: Int { 256 }
}

/// The bits of a small value, padded with zeros.
///
/// Declared outside the memo, so that the type is not generic in the memo's value.
@usableFromInline
struct ValueBits: Equatable, Sendable {
  @usableFromInline var low: UInt64 = 0
  @usableFromInline var high: UInt64 = 0

  @inlinable
  init<Value>(_ value: Value) {
    unsafe withUnsafeBytes(of: value) { source in
      unsafe withUnsafeMutableBytes(of: &self) { unsafe $0.copyMemory(from: source) }
    }
  }

  /// The slot: the three highest bits of a multiplicative hash (Knuth, The Art of Computer
  /// Programming, 6.4).
  @inlinable
  var slot: Int {
    Int(truncatingIfNeeded: ((low ^ high) &* 0x9E37_79B9_7F4A_7C15) >> 61)
  }
}

/// A cached value and its JSON.
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
