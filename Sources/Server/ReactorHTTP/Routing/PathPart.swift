internal import Glibc
internal import ReactorCoding
internal import ReactorTransport

/// One part of a path, between two slashes or after the last one, as the client sent it.
///
/// Points into the path: a string is created only for parameters.
@safe struct PathPart {
  // Proof: valid while the path of the iterator is; only the iterator creates parts.
  private let bytes: UnsafeBufferPointer<UInt8>
  private let isEncoded: Bool

  /// The decoded part, or `nil` for a broken percent-encoding.
  ///
  /// Bytes outside ASCII are replaced: no name contains them.
  var text: String? {
    guard isEncoded else { return unsafe String(asciiFrom: bytes) }
    return unsafe PercentEncoding.decode(bytes[...])?.asciiOnly
  }

  /// The bytes of the decoded part, or `nil` for a path without percent-encodings.
  ///
  /// An empty part, and one with a broken encoding or more than `limit` decoded bytes, is a byte that no name has.
  func decoded(atMost limit: Int) -> [UInt8]? {
    guard isEncoded else { return nil }
    guard unsafe !bytes.isEmpty, unsafe bytes.count <= 3 * limit, let text else { return [0xFF] }
    return Array(text.utf8)
  }

  /// Whether the part equals the bytes in a range of `names`; not for a path with percent-encodings.
  func isEqual(to names: [UInt8], in range: Range<Int>) -> Bool {
    guard unsafe bytes.count == range.count, let start = unsafe bytes.baseAddress else {
      return false
    }
    return unsafe names.withUnsafeBytes {
      guard let first = $0.baseAddress else { return range.isEmpty }
      return unsafe memcmp(first + range.lowerBound, start, range.count) == 0
    }
  }

  /// Divides a path into its parts.
  ///
  /// The parts point into the path, so the iterator must not outlive it; it cannot be copied.
  @safe struct Iterator: ~Copyable {
    // Proof: the creator keeps the path valid while the iterator and its parts are used.
    private let path: UnsafeBufferPointer<UInt8>
    private let isEncoded: Bool
    /// The position of the next part, after its slash, or `nil` after the last part.
    private var start: Int?

    /// Creates an iterator; a path that does not begin with a slash has no parts.
    init(_ path: UnsafeBufferPointer<UInt8>) {
      unsafe self.path = path
      isEncoded = unsafe Self.index(of: UInt8(ascii: "%"), in: path, from: 0) != nil
      start = unsafe path.first == UInt8(ascii: "/") ? 1 : nil
    }

    /// Returns the next part, or `nil` after the last one.
    mutating func next() -> PathPart? {
      guard let start else { return nil }
      let slash = unsafe Self.index(of: UInt8(ascii: "/"), in: path, from: start)
      self.start = slash.map { $0 + 1 }
      return unsafe PathPart(
        bytes: UnsafeBufferPointer(rebasing: path[start..<(slash ?? path.count)]),
        isEncoded: isEncoded)
    }

    private static func index(
      of byte: UInt8, in path: UnsafeBufferPointer<UInt8>, from start: Int
    ) -> Int? {
      guard let base = path.baseAddress else { return nil }
      return unsafe memchr(base + start, Int32(byte), path.count - start).map {
        unsafe UnsafeRawPointer($0) - UnsafeRawPointer(base)
      }
    }
  }
}
