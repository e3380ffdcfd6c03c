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
    let output = unsafe deflated(bytes, by: &stream, Z_FINISH)
    return output?.result == Z_STREAM_END ? output?.bytes : nil
  }
}

/// Passes bytes to a stream by one call.
///
/// - Parameters:
///   - bytes: The bytes.
///   - stream: The stream.
///   - flush: How the output ends: `Z_FINISH` or `Z_SYNC_FLUSH`.
/// - Returns: The output and the result of the call, or `nil` if the output does not fit into 4 GiB.
func deflated(
  _ bytes: [UInt8], by stream: inout z_stream, _ flush: Int32
) -> (bytes: [UInt8], result: Int32)? {
  // The bound is that of a stream that ends; a flush writes an empty block in place of the end.
  let bound = unsafe Int(deflateBound(&stream, UInt(bytes.count))) + 16
  guard let room = UInt32(exactly: bound) else { return nil }
  var result = Z_OK
  let output = unsafe [UInt8](unsafeUninitializedCapacity: bound) { output, count in
    unsafe bytes.withUnsafeBufferPointer { input in
      // zlib only reads from next_in, although it is not const.
      unsafe stream.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
      unsafe stream.avail_in = UInt32(input.count)
      unsafe stream.next_out = output.baseAddress
      unsafe stream.avail_out = room
      result = unsafe deflate(&stream, flush)
      count = unsafe bound - Int(stream.avail_out)
    }
  }
  return (output, result)
}
