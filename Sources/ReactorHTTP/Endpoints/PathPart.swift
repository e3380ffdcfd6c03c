internal import Glibc
internal import ReactorTransport

/// One part of a path, between two slashes or after the last one, as the client sent it.
///
/// Points into the path: a string is created only for parameters.
@safe struct PathPart {
  // Proof: valid while the list is, which is the only one that creates parts.
  private let bytes: UnsafeBufferPointer<UInt8>
  private let isEncoded: Bool

  /// A part that is equal to no name.
  static var none: PathPart {
    unsafe PathPart(bytes: UnsafeBufferPointer(start: nil, count: 0), isEncoded: true)
  }

  /// The decoded part; `nil` for a broken percent-encoding.
  ///
  /// Bytes outside ASCII are replaced: no name contains them.
  var text: String? {
    guard isEncoded else { return unsafe String(asciiFrom: bytes) }
    return unsafe PercentEncoding.decode(bytes[...])?.asciiOnly
  }

  /// Whether the decoded part consists of these bytes of a list of names.
  func isEqual(to names: [UInt8], in range: Range<Int>) -> Bool {
    if isEncoded { return unsafe !bytes.isEmpty && text?.utf8.elementsEqual(names[range]) == true }
    guard unsafe bytes.count == range.count, let start = unsafe bytes.baseAddress else {
      return false
    }
    return unsafe names.withUnsafeBytes {
      guard let first = $0.baseAddress else { return range.isEmpty }
      return unsafe memcmp(first + range.lowerBound, start, range.count) == 0
    }
  }

  /// The parts of a path.
  ///
  /// A path with more parts than any template has none. The parts point into the path, so the list
  /// must not outlive it; it cannot be copied.
  struct List: ~Copyable {
    private var parts = InlineArray<8, PathPart>(repeating: .none)
    private(set) var count = 0

    /// Splits a path; one that does not begin with a slash has no parts.
    init(_ path: UnsafeBufferPointer<UInt8>) {
      guard unsafe path.first == UInt8(ascii: "/"), let base = path.baseAddress else { return }
      func index(of byte: UInt8, from start: Int) -> Int? {
        unsafe memchr(base + start, Int32(byte), path.count - start).map {
          unsafe UnsafeRawPointer($0) - UnsafeRawPointer(base)
        }
      }
      let isEncoded = index(of: UInt8(ascii: "%"), from: 0) != nil
      var start = 1
      while count < EndpointTable.depth {
        let end = index(of: UInt8(ascii: "/"), from: start) ?? path.count
        parts[count] = unsafe PathPart(
          bytes: UnsafeBufferPointer(rebasing: path[start..<end]), isEncoded: isEncoded)
        count += 1
        guard end < path.count else { return }
        start = end + 1
      }
      count = 0
    }

    subscript(index: Int) -> PathPart { parts[index] }
  }
}
