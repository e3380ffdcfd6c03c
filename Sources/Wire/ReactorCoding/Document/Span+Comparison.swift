extension Span<UInt8> {
  /// Compares bytes: a large text in a small part of the time of a loop over its bytes.
  func hasSameBytes(as other: Span<UInt8>) -> Bool {
    count == other.count && commonLength(with: other) == count
  }

  /// Returns the number of bytes before the first one that differs.
  func commonLength(with other: Span<UInt8>) -> Int {
    let limit = Swift.min(count, other.count)
    var offset = 0
    while offset + 32 <= limit {
      var difference: UInt64 = 0
      for word in 0..<4 {
        difference |= self.word(at: offset + 8 * word) ^ other.word(at: offset + 8 * word)
      }
      guard difference == 0 else { break }
      offset += 32
    }
    while offset + 8 <= limit, self.word(at: offset) == other.word(at: offset) { offset += 8 }
    while offset < limit, self[offset] == other[offset] { offset += 1 }
    return offset
  }

  /// Returns the eight bytes at an offset as a number, in the order of this processor.
  @inline(__always)
  private func word(at offset: Int) -> UInt64 {
    unsafe bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self)
  }
}
