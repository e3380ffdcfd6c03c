internal import Glibc

/// The head of a connection's former request, which the next request often repeats byte for byte.
///
/// A repeated head is as valid as the former one, and has the same fields. So the scanner does not check it
/// again, and passes a short substitute to the parser: the request line with a target that no client can
/// send, and only those fields that libmicrohttpd reads itself. The other fields and the target are those of
/// the former request, which its connection retains (`ConnectionSlot.head`).
///
/// libmicrohttpd examines every byte of a head several times: with a token of 290 bytes, a fifth of the
/// instructions of a small request were spent on a head that had not changed.
///
/// Pure.
package struct RepeatedHead {
  /// The longest head that is retained, in bytes.
  static let sizeLimit = 4096

  /// The target of a substitute; the scanner rejects this byte in targets.
  package static let target: UInt8 = 0x7F

  /// The body that follows the head.
  private(set) var body = RequestFraming.Body.length(0)

  /// The memory that the head takes in libmicrohttpd; a trailer of its body counts against the same limit.
  private(set) var size = 0

  /// Whether there is a head.
  private(set) var isRetained = false

  private var head: [UInt8] = []

  /// The substitute; created at the first repetition, empty before it.
  private var substitute: [UInt8] = []

  /// Retains a head in place of the former one.
  ///
  /// - Parameters:
  ///   - bytes: A valid head of HTTP/1.1 with its empty line; not retained if it is longer than
  ///     ``sizeLimit``.
  ///   - body: The body that follows it.
  ///   - size: The memory that it takes in libmicrohttpd.
  mutating func retain(
    _ bytes: Slice<UnsafeBufferPointer<UInt8>>, body: RequestFraming.Body, size: Int
  ) {
    guard unsafe bytes.count <= Self.sizeLimit else { return }
    head.removeAll(keepingCapacity: true)
    unsafe head.append(contentsOf: UnsafeBufferPointer(rebasing: bytes))
    substitute.removeAll(keepingCapacity: true)
    self.body = body
    self.size = size
    isRetained = true
  }

  /// Discards the head, because a different one follows.
  mutating func discard() { isRetained = false }

  /// Replaces the head by its substitute, if received bytes begin with the head.
  ///
  /// - Returns: The length of the substitute, and the number of all bytes after the replacement, or
  ///   `nil` if nothing was replaced.
  mutating func replace(
    in bytes: UnsafeMutableBufferPointer<UInt8>
  ) -> (substitute: Int, count: Int)? {
    guard isRetained, bytes.count >= head.count, let start = bytes.baseAddress else { return nil }
    let isRepeated = unsafe head.withUnsafeBytes { head in
      unsafe head.baseAddress.map { unsafe memcmp(start, $0, head.count) == 0 } ?? false
    }
    guard isRepeated else { return nil }
    if substitute.isEmpty { substitute = Self.substitute(of: head) }
    guard substitute.count <= head.count else { return nil }
    let rest = bytes.count - head.count
    unsafe substitute.withUnsafeBufferPointer { substitute in
      guard let other = substitute.baseAddress else { return }
      unsafe start.update(from: other, count: substitute.count)
    }
    unsafe memmove(start + substitute.count, start + head.count, rest)
    return (substitute.count, substitute.count + rest)
  }

  private static func substitute(of head: [UInt8]) -> [UInt8] {
    let lines = head.split(separator: UInt8(ascii: "\n"))
    let method = lines.first.map { $0.prefix { $0 != UInt8(ascii: " ") } } ?? []
    var substitute = method + [UInt8(ascii: " "), target] + Array(" HTTP/1.1\r\n".utf8)
    for line in lines.dropFirst() where isRead(line.prefix { $0 != UInt8(ascii: ":") }) {
      substitute += line + [UInt8(ascii: "\n")]
    }
    return substitute + Array("\r\n".utf8)
  }

  /// Whether libmicrohttpd reads a field itself.
  private static func isRead(_ name: ArraySlice<UInt8>) -> Bool {
    let fields: [StaticString] = [
      "connection", "content-length", "expect", "host", "transfer-encoding",
    ]
    return fields.contains { field in
      unsafe field.utf8CodeUnitCount == name.count
        && zip(name, UnsafeBufferPointer(start: field.utf8Start, count: name.count))
          .allSatisfy { $0 | 0x20 == $1 }
    }
  }
}
