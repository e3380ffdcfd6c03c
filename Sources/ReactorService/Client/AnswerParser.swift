/// Reads an HTTP/1.1 answer as it comes: its head, and then its body, piece by piece.
///
/// It knows what a server may send to a client of one request: a body with a length, in chunks, or up
/// to the end of the connection.
struct AnswerParser {
  /// The head of an answer.
  struct Head: Equatable {
    /// The status code.
    let status: Int

    /// The fields in their order; names in lower case.
    let fields: [Field]

    /// A header field.
    struct Field: Equatable {
      let name: String
      let value: String
    }

    /// The value of the first field of that name.
    subscript(_ name: String) -> String? { fields.first { $0.name == name }?.value }
  }

  /// The bytes are no answer, or one that is too long.
  struct Malformed: Error {}

  private enum Framing {
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

  /// The head, as soon as all of it was read.
  private(set) var head: Head?

  private var framing = Framing.head
  private var line: [UInt8] = []
  private var lines: [String] = []
  private var headSize = 0

  /// Whether the whole answer was read.
  var isComplete: Bool { if case .done = framing { true } else { false } }

  /// Takes what has come, and gives what of it belongs to the body.
  mutating func read(_ bytes: some Sequence<UInt8>) throws(Malformed) -> [UInt8] {
    var body: [UInt8] = []
    for byte in bytes {
      switch framing {
      case .length(let rest):
        body.append(byte)
        framing = rest > 1 ? .length(rest - 1) : .done
      case .chunk(let rest):
        body.append(byte)
        framing = rest > 1 ? .chunk(rest - 1) : .chunkEnd
      case .untilClose: body.append(byte)
      case .done: break
      case .head, .chunkHead, .chunkEnd, .trailer:
        headSize += 1
        guard headSize <= Self.headLimit else { throw Malformed() }
        guard byte == UInt8(ascii: "\n") else {
          line.append(byte)
          continue
        }
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        let text = String(decoding: line, as: UTF8.self)
        line.removeAll(keepingCapacity: true)
        try end(of: text)
      }
    }
    return body
  }

  /// The connection was closed: whether the answer is whole.
  mutating func close() -> Bool {
    if case .untilClose = framing { framing = .done }
    return isComplete
  }

  private mutating func end(of line: String) throws(Malformed) {
    switch framing {
    case .head where line.isEmpty: try endHead()
    case .head: lines.append(line)
    case .chunkHead:
      headSize = 0
      let digits = line.prefix { $0 != ";" }
      guard let size = Int(digits, radix: 16), size >= 0 else { throw Malformed() }
      framing = size > 0 ? .chunk(size) : .trailer
    case .chunkEnd: framing = .chunkHead
    case .trailer: if line.isEmpty { framing = .done }
    case .length, .chunk, .untilClose, .done: break
    }
  }

  private mutating func endHead() throws(Malformed) {
    guard let first = lines.first, let status = HealthProbe.status(of: first.utf8) else {
      throw Malformed()
    }
    let fields = lines.dropFirst().compactMap { line -> Head.Field? in
      guard let colon = line.firstIndex(of: ":") else { return nil }
      let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
      return Head.Field(name: line[..<colon].lowercased(), value: String(value))
    }
    lines = []
    headSize = 0
    // What comes before the answer itself, such as 103 Early Hints.
    guard status >= 200 else { return }
    let head = Head(status: status, fields: fields)
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
    }
  }
}
