/// A process that writes: the name of its node, and a random value per process.
struct Writer: Hashable, Sendable, CustomStringConvertible {
  let name: String
  let incarnation: UInt64

  var description: String { "\(name).\(String(incarnation, radix: 16))" }
}

/// The header field `R`: a writer and the number of the message among its messages.
struct WriterMark: Hashable, Sendable, CustomStringConvertible {
  let writer: Writer
  let number: UInt64

  init(writer: Writer, number: UInt64) {
    self.writer = writer
    self.number = number
  }

  /// Parses `NAME.INCARNATION.NUMBER`, or returns `nil` for any other text.
  init?(_ text: String) {
    // Split as bytes: comparing characters takes quadratic time for many combining marks.
    let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
      .map { Substring($0) }
    guard parts.count >= 3, let number = UInt64(parts[parts.count - 1]),
      let incarnation = UInt64(parts[parts.count - 2], radix: 16)
    else { return nil }
    writer = Writer(
      name: parts[..<(parts.count - 2)].joined(separator: "."), incarnation: incarnation)
    self.number = number
  }

  var description: String { "\(writer).\(number)" }
}
