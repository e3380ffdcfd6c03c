/// Parses an HTTP/1.1 response incrementally.
///
/// Supports bodies with a length, in chunks, or delimited by the end of the connection. In the head, bytes
/// outside ASCII are replaced by `?`.
package struct ResponseParser: Sendable {
  /// The bytes are not an HTTP response, or its head is too large.
  package struct Malformed: Error {}

  private enum Framing: Sendable {
    case head
    case length(Int)
    case chunkHead
    case chunk(Int)
    case chunkEnd
    case trailer
    case untilClose
    case done
  }

  private static let headLimit = 65_536

  /// The head, once it is complete.
  package private(set) var head: TransportHead?

  private var framing = Framing.head
  /// The received part of a line whose end has not arrived.
  private var line: [UInt8] = []
  /// The status line and the fields of a head that is not complete.
  private var status: Int?
  private var fields: [TransportRequest.Field] = []
  private var headSize = 0

  /// Whether the response is complete.
  package var isComplete: Bool { if case .done = framing { true } else { false } }

  /// Whether the server keeps the connection open after the response, and has sent nothing beyond it.
  package var keepsConnection: Bool {
    guard isComplete, let head, !isDelimitedByClose, !hasSurplus else { return false }
    let connection = head["connection"]?.lowercased()
    return isVersion0 ? connection == "keep-alive" : connection != "close"
  }

  private var isDelimitedByClose = false
  /// Whether bytes followed the response.
  private var hasSurplus = false
  /// Whether the response is HTTP/1.0: its connection is closed unless it has `keep-alive`.
  private var isVersion0 = false

  /// Creates a parser at the beginning of a response.
  package init() {}

  /// Parses bytes and returns those that belong to the body.
  ///
  /// Bytes after the end of the response are ignored.
  package mutating func read(_ bytes: ArraySlice<UInt8>) throws(Malformed) -> [UInt8] {
    var body: [UInt8] = []
    var rest = bytes
    while !rest.isEmpty {
      switch framing {
      case .length(let length):
        let part = rest.prefix(length)
        body += part
        rest = rest.dropFirst(part.count)
        framing = length > part.count ? .length(length - part.count) : .done
      case .chunk(let length):
        let part = rest.prefix(length)
        body += part
        rest = rest.dropFirst(part.count)
        framing = length > part.count ? .chunk(length - part.count) : .chunkEnd
      case .untilClose:
        body += rest
        return body
      case .done:
        hasSurplus = true
        return body
      case .head, .chunkHead, .chunkEnd, .trailer: try readLine(&rest)
      }
    }
    return body
  }

  /// Reads up to the end of a line of the head or of the chunked framing.
  private mutating func readLine(_ rest: inout ArraySlice<UInt8>) throws(Malformed) {
    let end = Self.index(of: UInt8(ascii: "\n"), in: rest)
    let part = rest[..<(end ?? rest.endIndex)]
    headSize += part.count + 1
    guard headSize <= Self.headLimit else { throw Malformed() }
    rest = rest.dropFirst(part.count + 1)
    guard end != nil, line.isEmpty else {
      line += part
      guard end != nil else { return }
      let complete = line
      line.removeAll(keepingCapacity: true)
      return try self.end(of: Self.withoutReturn(complete[...]))
    }
    try self.end(of: Self.withoutReturn(part))
  }

  /// Equivalent to `firstIndex(of:)`, in a fifth of the time.
  private static func index(of byte: UInt8, in bytes: ArraySlice<UInt8>) -> Int? {
    unsafe bytes.withUnsafeBufferPointer { buffer in
      for index in 0..<buffer.count where unsafe buffer[index] == byte {
        return bytes.startIndex + index
      }
      return nil
    }
  }

  private static func withoutReturn(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    line.last == UInt8(ascii: "\r") ? line.dropLast() : line
  }

  /// Records the end of the connection; returns whether the response is complete.
  package mutating func close() -> Bool {
    if case .untilClose = framing { framing = .done }
    return isComplete
  }

  private mutating func end(of line: ArraySlice<UInt8>) throws(Malformed) {
    switch framing {
    case .head where line.isEmpty: try endHead()
    case .head where status == nil:
      // The status line is checked as soon as it is complete, which detects another protocol.
      guard let status = Self.status(of: line) else { throw Malformed() }
      self.status = status
      isVersion0 = line.starts(with: "HTTP/1.0".utf8)
    case .head: addField(line)
    case .chunkHead:
      headSize = 0
      let digits = line.prefix { !Self.endsChunkSize($0) }
      guard let size = Int(Self.text(digits), radix: 16), size >= 0 else { throw Malformed() }
      framing = size > 0 ? .chunk(size) : .trailer
    case .chunkEnd: framing = .chunkHead
    case .trailer: if line.isEmpty { framing = .done }
    case .length, .chunk, .untilClose, .done: break
    }
  }

  private static func endsChunkSize(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: ";") || byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
  }

  /// Adds a field of the head; ignores a line without a colon.
  private mutating func addField(_ line: ArraySlice<UInt8>) {
    guard let colon = Self.index(of: UInt8(ascii: ":"), in: line) else { return }
    var value = line[(colon + 1)...]
    while value.first == UInt8(ascii: " ") || value.first == UInt8(ascii: "\t") {
      value = value.dropFirst()
    }
    if fields.isEmpty { fields.reserveCapacity(16) }
    fields.append(.init(Self.text(line[..<colon], lowercased: true), Self.text(value)))
  }

  /// The text of ASCII bytes.
  ///
  /// Names and values that the client reads are ASCII. Other bytes are replaced, since comparing their text
  /// can take quadratic time.
  private static func text(_ bytes: ArraySlice<UInt8>, lowercased: Bool = false) -> String {
    unsafe bytes.withUnsafeBufferPointer { bytes in
      unsafe String(unsafeUninitializedCapacity: bytes.count) { buffer in
        for index in 0..<bytes.count {
          let byte = unsafe bytes[index]
          let isUpper = lowercased && byte &- 0x41 < 26
          unsafe buffer[index] = byte < 0x80 ? (isUpper ? byte | 0x20 : byte) : UInt8(ascii: "?")
        }
        return bytes.count
      }
    }
  }

  private mutating func endHead() throws(Malformed) {
    guard let status else { throw Malformed() }
    let head = TransportHead(status: status, lowercased: fields)
    self.status = nil
    fields = []
    headSize = 0
    // An interim response, such as 103 Early Hints, precedes the final one.
    guard status >= 200 else { return }
    self.head = head
    if status == 204 || status == 304 {
      framing = .done
    } else if head["transfer-encoding"]?.lowercased() == "chunked" {
      framing = .chunkHead
    } else if let length = head["content-length"] {
      guard let length = Int(length), length >= 0 else { throw Malformed() }
      framing = length > 0 ? .length(length) : .done
    } else {
      framing = .untilClose
      isDelimitedByClose = true
    }
  }

  /// The status code of a status line; `nil` if the line is not one.
  package static func status(of line: String) -> Int? { status(of: Array(line.utf8)[...]) }

  private static func status(of line: ArraySlice<UInt8>) -> Int? {
    let (version, rest) = (line.prefix(8), line.dropFirst(8))
    guard version.starts(with: "HTTP/1.".utf8), rest.first == UInt8(ascii: " ") else { return nil }
    let digits = rest.dropFirst().prefix(3)
    guard digits.count == 3, digits.allSatisfy({ (0x30...0x39).contains($0) }),
      rest.count == 4 || rest.dropFirst(4).first == UInt8(ascii: " ")
    else { return nil }
    return digits.reduce(0) { $0 * 10 + Int($1 & 15) }
  }
}
