internal import CZlib

/// The gzip format (RFC 1952).
package enum Gzip {
  /// Compresses bytes.
  ///
  /// - Parameters:
  ///   - bytes: The bytes to compress.
  ///   - level: From 1, the fastest, to 9, the smallest.
  /// - Returns: A complete gzip file, or `nil` if there is no memory left, or for more than 4 GiB.
  package static func compress(_ bytes: [UInt8], level: Int32 = 4) -> [UInt8]? {
    var stream = unsafe z_stream()
    guard UInt32(exactly: bytes.count) != nil,
      unsafe reactord_gzip_init(&stream, level) == Z_OK
    else { return nil }
    defer { unsafe deflateEnd(&stream) }
    let bound = unsafe Int(deflateBound(&stream, UInt(bytes.count)))
    guard let room = UInt32(exactly: bound) else { return nil }
    var isComplete = false
    let compressed = unsafe [UInt8](unsafeUninitializedCapacity: bound) { output, count in
      unsafe bytes.withUnsafeBufferPointer { input in
        // zlib only reads from next_in, although it is not const.
        unsafe stream.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
        unsafe stream.avail_in = UInt32(input.count)
        unsafe stream.next_out = output.baseAddress
        unsafe stream.avail_out = room
        isComplete = unsafe deflate(&stream, Z_FINISH) == Z_STREAM_END
        count = unsafe bound - Int(stream.avail_out)
      }
    }
    return isComplete ? compressed : nil
  }
}
