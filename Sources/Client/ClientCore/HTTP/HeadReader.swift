/// Reads the head of a response from its lines.
///
/// Bytes outside ASCII are replaced by `?`. Trailer fields are ignored.
package struct HeadReader: Sendable {
  /// The lines are not the head of a response, or the head is too large.
  package struct Malformed: Error {}

  /// The maximum size of a head in bytes.
  package static let limit = 65_536

  private var status: Int?
  private var fields: [TransportRequest.Field] = []
  private var size = 0

  /// Whether the head of the final response was read.
  package private(set) var isComplete = false

  /// Creates a reader at the beginning of a response.
  package init() {}

  /// Reads a line, with or without its line break.
  ///
  /// - Returns: The head after the empty line that ends it, or `nil` before, and for an interim response
  ///   such as 103 Early Hints.
  package mutating func read(_ line: [UInt8]) throws(Malformed) -> TransportHead? {
    guard !isComplete else { return nil }
    size += line.count
    guard size <= Self.limit else { throw Malformed() }
    var line = line[...]
    if line.last == UInt8(ascii: "\n") { line.removeLast() }
    if line.last == UInt8(ascii: "\r") { line.removeLast() }
    guard let status else {
      status = Self.status(of: line)
      if status == nil { throw Malformed() }
      return nil
    }
    guard line.isEmpty else {
      addField(line)
      return nil
    }
    defer { (self.status, fields, size) = (nil, [], 0) }
    isComplete = status >= 200
    return isComplete ? TransportHead(status: status, lowercased: fields) : nil
  }

  /// Adds a field; ignores a line without a colon.
  private mutating func addField(_ line: ArraySlice<UInt8>) {
    guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return }
    let value = line[(colon + 1)...].drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
    fields.append(.init(Self.text(line[..<colon], lowercased: true), Self.text(value)))
  }

  /// Returns the text of ASCII bytes.
  ///
  /// Names and values that the client reads are ASCII. Other bytes are replaced, since comparing their text
  /// can take quadratic time.
  private static func text(_ bytes: ArraySlice<UInt8>, lowercased: Bool = false) -> String {
    unsafe String(unsafeUninitializedCapacity: bytes.count) { buffer in
      for (index, byte) in bytes.enumerated() {
        let isUpper = lowercased && byte &- 0x41 < 26
        unsafe buffer[index] = byte < 0x80 ? (isUpper ? byte | 0x20 : byte) : UInt8(ascii: "?")
      }
      return bytes.count
    }
  }

  /// The status code of a status line of any version, or `nil` if the line is not one.
  private static func status(of line: ArraySlice<UInt8>) -> Int? {
    guard line.starts(with: "HTTP/".utf8), let space = line.firstIndex(of: UInt8(ascii: " ")) else {
      return nil
    }
    let digits = line[space...].dropFirst().prefix { $0 != UInt8(ascii: " ") }
    guard digits.count == 3, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return digits.reduce(0) { $0 * 10 + Int($1 & 15) }
  }
}
