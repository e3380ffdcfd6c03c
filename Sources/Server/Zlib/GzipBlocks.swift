internal import CZlib

/// Parts of a gzip body (RFC 1952) that are created independently of the body and joined in any order.
///
/// A body is ``header``, blocks, and ``end``. Each block ends at a byte, so that a client decodes it when it arrives.
package enum GzipBlocks {
  /// The beginning of each body.
  package static let header: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF]

  /// The number of bytes before a block that it can refer to.
  package static let window = 32_768

  /// Returns bytes as a block that is not compressed.
  ///
  /// An empty block follows, as zlib ends a flush: some decoders return what was stored only then.
  package static func stored(_ bytes: some Collection<UInt8>) -> [UInt8] {
    var block: [UInt8] = []
    var rest = bytes[...]
    while !rest.isEmpty {
      let part = rest.prefix(Int(UInt16.max))
      rest = rest.dropFirst(part.count)
      let count = UInt16(part.count)
      block += [0, UInt8(truncatingIfNeeded: count), UInt8(count >> 8)]
      block += [UInt8(truncatingIfNeeded: ~count), UInt8(~count >> 8)]
      block += part
    }
    return block.isEmpty ? [] : block + [0, 0, 0, 0xFF, 0xFF]
  }

  /// Compresses bytes.
  ///
  /// - Parameters:
  ///   - bytes: The bytes, at least one.
  ///   - before: What is decoded directly before the block, in each body that it belongs to; empty for a block that
  ///     belongs to any body.
  /// - Returns: The block, or `nil` if there is no memory left, or for more than 1 GiB.
  package static func compressed(_ bytes: [UInt8], after before: [UInt8] = []) -> [UInt8]? {
    var stream = unsafe z_stream()
    guard !bytes.isEmpty, bytes.count < 1 << 30, before.count < 1 << 30,
      unsafe reactord_deflate_init(&stream, 4) == Z_OK
    else { return nil }
    defer { unsafe deflateEnd(&stream) }
    let known = before.suffix(window)
    let isPrepared = unsafe known.withUnsafeBufferPointer {
      unsafe $0.isEmpty || deflateSetDictionary(&stream, $0.baseAddress, UInt32($0.count)) == Z_OK
    }
    guard isPrepared, let output = unsafe deflated(bytes, by: &stream, Z_SYNC_FLUSH) else {
      return nil
    }
    let isComplete = unsafe output.result == Z_OK && stream.avail_in == 0 && stream.avail_out > 0
    return isComplete ? output.bytes : nil
  }

  /// The sum and the number of decoded bytes, with which a body ends.
  package struct Checksum: Sendable {
    private var sum: UInt = 0
    private var count = 0
    private let shift: UInt

    /// Creates the checksum of some bytes.
    package init(of bytes: some Collection<UInt8> = []) {
      let bytes = Array(bytes)
      count = bytes.count
      shift = reactord_crc32_shift(count)
      sum = unsafe bytes.withUnsafeBufferPointer {
        unsafe $0.isEmpty ? 0 : crc32_z(0, $0.baseAddress, $0.count)
      }
    }

    /// Appends the bytes of another checksum.
    package mutating func append(_ other: Checksum) {
      sum = reactord_crc32_combine(sum, other.sum, other.shift)
      count += other.count
    }

    /// The end of a body: the last block, which is empty, the sum and the number.
    package var end: [UInt8] {
      let numbers = [UInt32(truncatingIfNeeded: sum), UInt32(truncatingIfNeeded: count)]
      return [3, 0]
        + numbers.flatMap { number in
          (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
        }
    }
  }
}
