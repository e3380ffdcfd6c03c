internal import Glibc

/// What stands between two slashes of a path, or behind the last one, as it was sent.
///
/// It points into the path, which is taken apart with every request: a text is made only of what
/// somebody keeps.
struct PathPart {
  private let bytes: UnsafeBufferPointer<UInt8>
  private let isEncoded: Bool

  /// No part at all, which is equal to nothing.
  static var none: PathPart {
    PathPart(bytes: UnsafeBufferPointer(start: nil, count: 0), isEncoded: true)
  }

  /// The part, decoded; `nil` where it cannot be.
  var text: String? {
    isEncoded ? PercentEncoding.decode(bytes[...]) : String(decoding: bytes, as: UTF8.self)
  }

  /// Whether a part says a word.
  static func ~= (word: StaticString, part: PathPart) -> Bool {
    guard !part.isEncoded else { return !part.bytes.isEmpty && part.text == word.description }
    guard part.bytes.count == word.utf8CodeUnitCount, let start = part.bytes.baseAddress else {
      return false
    }
    return memcmp(start, word.utf8Start, part.bytes.count) == 0
  }

  /// The parts of a path; the ninth and all that follow are left out, since no address has so many.
  ///
  /// It cannot be copied: it is as long as it is passed around.
  struct List: ~Copyable {
    private var parts = InlineArray<8, PathPart>(repeating: .none)
    private(set) var count = 0

    /// Takes a path apart, within whose lifetime the parts are looked at; one that does not begin
    /// with a slash has none.
    init(_ path: UnsafeBufferPointer<UInt8>) {
      guard path.first == UInt8(ascii: "/"), let base = path.baseAddress else { return }
      func index(of byte: UInt8, from start: Int) -> Int? {
        memchr(base + start, Int32(byte), path.count - start).map {
          UnsafeRawPointer($0) - UnsafeRawPointer(base)
        }
      }
      let isEncoded = index(of: UInt8(ascii: "%"), from: 0) != nil
      var start = 1
      while count < 8 {
        let end = index(of: UInt8(ascii: "/"), from: start) ?? path.count
        parts[count] = PathPart(
          bytes: UnsafeBufferPointer(rebasing: path[start..<end]), isEncoded: isEncoded)
        count += 1
        guard end < path.count else { return }
        start = end + 1
      }
    }

    subscript(index: Int) -> PathPart { parts[index] }
  }
}
