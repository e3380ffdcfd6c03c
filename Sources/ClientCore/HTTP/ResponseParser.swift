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
  private var line: [UInt8] = []
  private var lines: [String] = []
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
  /// Whether the response is one of HTTP/1.0, whose connections are closed unless it says otherwise.
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

  /// Reads to the end of a line of the head or of the framing.
  private mutating func readLine(_ rest: inout ArraySlice<UInt8>) throws(Malformed) {
    let end = rest.firstIndex(of: UInt8(ascii: "\n"))
    let part = rest[..<(end ?? rest.endIndex)]
    headSize += part.count + 1
    guard headSize <= Self.headLimit else { throw Malformed() }
    line += part
    rest = rest.dropFirst(part.count + 1)
    guard end != nil else { return }
    if line.last == UInt8(ascii: "\r") { line.removeLast() }
    // Names and values that the client reads are ASCII. Comparing other text takes quadratic time for some.
    let text = String(
      decoding: line.map { $0 < 0x80 ? $0 : UInt8(ascii: "?") }, as: UTF8.self)
    line.removeAll(keepingCapacity: true)
    try self.end(of: text)
  }

  /// Records the end of the connection; returns whether the response is complete.
  package mutating func close() -> Bool {
    if case .untilClose = framing { framing = .done }
    return isComplete
  }

  private mutating func end(of line: String) throws(Malformed) {
    switch framing {
    case .head where line.isEmpty: try endHead()
    case .head:
      // Another protocol is detected with its first line.
      guard !lines.isEmpty || Self.status(of: line) != nil else { throw Malformed() }
      lines.append(line)
    case .chunkHead:
      headSize = 0
      let digits = line.prefix { $0 != ";" && $0 != " " && $0 != "\t" }
      guard let size = Int(digits, radix: 16), size >= 0 else { throw Malformed() }
      framing = size > 0 ? .chunk(size) : .trailer
    case .chunkEnd: framing = .chunkHead
    case .trailer: if line.isEmpty { framing = .done }
    case .length, .chunk, .untilClose, .done: break
    }
  }

  private mutating func endHead() throws(Malformed) {
    guard let first = lines.first, let status = Self.status(of: first) else { throw Malformed() }
    isVersion0 = first.hasPrefix("HTTP/1.0")
    let fields = lines.dropFirst().compactMap { line -> (name: String, value: String)? in
      guard let colon = line.firstIndex(of: ":") else { return nil }
      let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
      return (String(line[..<colon]), String(value))
    }
    lines = []
    headSize = 0
    // An interim response, such as 103 Early Hints, precedes the final one.
    guard status >= 200 else { return }
    let head = TransportHead(status: status, fields: fields)
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
  package static func status(of line: String) -> Int? {
    let words = line.split(separator: " ", maxSplits: 2)
    guard words.count >= 2, words[0].hasPrefix("HTTP/1."), words[1].utf8.count == 3 else {
      return nil
    }
    return Int(words[1])
  }
}
