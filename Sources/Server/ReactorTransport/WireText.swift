internal import Glibc

/// Text as a client sent it, compared and hashed as bytes.
///
/// `String` compares and hashes by canonical equivalence. For text with many combining marks that
/// takes quadratic time, which a client could use to stall the service, so text from the network is
/// not compared as a `String`.
package struct WireText: Sendable {
  @usableFromInline let text: String

  /// Wraps a text.
  @inlinable
  package init(_ text: String) { self.text = text }

  /// The bytes.
  @inlinable
  package var utf8: String.UTF8View { text.utf8 }

  /// Calls a function with the bytes; the buffer is valid during the call.
  @inlinable
  package func withUTF8<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    // A native string is read in place: `String.withUTF8(_:)` modifies the string, and therefore
    // needs a copy.
    if let result = unsafe text.utf8.withContiguousStorageIfAvailable(body) { return result }
    var text = text
    return text.withUTF8(body)
  }
}

extension WireText: Hashable {
  /// Compares bytes.
  package static func == (left: WireText, right: WireText) -> Bool {
    guard left.text.utf8.count == right.text.utf8.count else { return false }
    return unsafe left.withUTF8 { left in
      unsafe right.withUTF8 { right in
        guard let first = left.baseAddress, let other = right.baseAddress else { return true }
        return unsafe memcmp(first, other, left.count) == 0
      }
    }
  }

  /// Hashes bytes.
  package func hash(into hasher: inout Hasher) {
    unsafe withUTF8 { unsafe hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}

extension WireText: ExpressibleByStringLiteral, CustomStringConvertible {
  /// Wraps a literal.
  package init(stringLiteral text: String) { self.init(text) }

  /// The text, for logs and for storage; not for comparison.
  package var description: String { text }
}

extension String {
  /// The substitute for bytes outside ASCII: no name, number, token or field value that the service
  /// accepts contains this control character.
  private static let substitute: UInt8 = 0x7F

  /// Creates a text in which each byte outside ASCII is replaced by the control character DEL.
  ///
  /// The result can be compared as a `String` in linear time. Use it where only ASCII is valid: the
  /// replaced bytes make the text invalid and cannot make it equal to another valid one.
  package init(asciiFrom bytes: some Collection<UInt8>) {
    if bytes.allSatisfy({ $0 < 0x80 }) {
      self.init(decoding: bytes, as: UTF8.self)
    } else {
      self.init(decoding: bytes.map { $0 < 0x80 ? $0 : Self.substitute }, as: UTF8.self)
    }
  }

  /// Creates a text in which each byte outside ASCII is replaced by the control character DEL.
  ///
  /// The buffer is read during the call. Not generic, so that other modules call it without
  /// witnesses.
  package init(asciiFrom bytes: UnsafeBufferPointer<UInt8>) {
    if unsafe bytes.isASCII {
      unsafe self.init(decoding: bytes, as: UTF8.self)
    } else {
      unsafe self.init(decoding: bytes.map { $0 < 0x80 ? $0 : Self.substitute }, as: UTF8.self)
    }
  }

  /// The text, with each byte outside ASCII replaced by the control character DEL.
  package var asciiOnly: String {
    unsafe WireText(self).withUTF8 { unsafe $0.isASCII } ? self : String(asciiFrom: utf8)
  }
}

extension UnsafeBufferPointer<UInt8> {
  /// Whether all bytes are below 0x80; examines eight at a time.
  fileprivate var isASCII: Bool {
    guard let first = unsafe UnsafeRawPointer(baseAddress) else { return true }
    var index = 0
    while index + 8 <= count {
      // Portable: the mask is the same in each order of the bytes.
      let word = unsafe first.loadUnaligned(fromByteOffset: index, as: UInt64.self)
      guard word & 0x8080_8080_8080_8080 == 0 else { return false }
      index += 8
    }
    while index < count {
      guard unsafe self[index] < 0x80 else { return false }
      index += 1
    }
    return true
  }
}
