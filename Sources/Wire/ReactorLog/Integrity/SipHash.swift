/// SipHash-2-4: a 64-bit hash with a 128-bit key, computed over bytes as they are appended.
///
/// J.-P. Aumasson, D. J. Bernstein: SipHash, a fast short-input PRF (2012).
struct SipHash {
  private var v0: UInt64
  private var v1: UInt64
  private var v2: UInt64
  private var v3: UInt64
  /// The bytes of the incomplete block; the first byte is in the lowest bits.
  private var tail: UInt64 = 0
  private var count = 0

  /// Starts a hash with a key.
  init(_ key: UInt64, _ secondKey: UInt64) {
    v0 = key ^ 0x736f_6d65_7073_6575
    v1 = secondKey ^ 0x646f_7261_6e64_6f6d
    v2 = key ^ 0x6c79_6765_6e65_7261
    v3 = secondKey ^ 0x7465_6462_7974_6573
  }

  /// Appends a byte.
  mutating func append(_ byte: UInt8) {
    tail |= UInt64(byte) << UInt64(8 * (count & 7))
    count += 1
    guard count & 7 == 0 else { return }
    compress(tail)
    tail = 0
  }

  /// Appends the eight bytes of a number, the lowest first.
  mutating func append(_ word: UInt64) {
    let bits = UInt64(8 * (count & 7))
    count += 8
    guard bits > 0 else { return compress(word) }
    compress(tail | word << bits)
    tail = word >> (64 - bits)
  }

  /// Appends bytes.
  mutating func append(_ bytes: some Collection<UInt8>) {
    let isContiguous: Void? = bytes.withContiguousStorageIfAvailable { bytes in
      unsafe append(UnsafeRawBufferPointer(bytes))
    }
    guard isContiguous == nil else { return }
    for byte in bytes { append(byte) }
  }

  private mutating func append(_ bytes: UnsafeRawBufferPointer) {
    let words = bytes.count & ~7
    for offset in stride(from: 0, to: words, by: 8) {
      append(
        UInt64(littleEndian: unsafe bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
    }
    for offset in words..<bytes.count { append(unsafe bytes[offset]) }
  }

  /// The hash of the appended bytes.
  consuming func finish() -> UInt64 {
    compress(tail | UInt64(truncatingIfNeeded: count) << 56)
    v2 ^= 0xff
    for _ in 0..<4 { round() }
    return v0 ^ v1 ^ v2 ^ v3
  }

  private mutating func compress(_ word: UInt64) {
    v3 ^= word
    round()
    round()
    v0 ^= word
  }

  // The optimizer does not inline this function by itself, and the calls cost more than the hash.
  @inline(__always)
  private mutating func round() {
    v0 &+= v1
    v1 = rotate(v1, 13) ^ v0
    v0 = rotate(v0, 32)
    v2 &+= v3
    v3 = rotate(v3, 16) ^ v2
    v0 &+= v3
    v3 = rotate(v3, 21) ^ v0
    v2 &+= v1
    v1 = rotate(v1, 17) ^ v2
    v2 = rotate(v2, 32)
  }

  @inline(__always)
  private func rotate(_ word: UInt64, _ bits: UInt64) -> UInt64 {
    word &<< bits | word &>> (64 - bits)
  }
}
