import ReactorHTTP

/// Reads a stream as a connection would, as far as a test asks.
final class Reader {
  private let stream: any ByteStream
  private(set) var isFinished = false

  init(_ stream: any ByteStream) {
    self.stream = stream
  }

  /// The next chunk's payload; `nil` where there is nothing for now, or nothing more.
  func next() -> String? {
    switch stream.next() {
    case .chunk(let chunk): return String(decoding: chunk.framed[chunk.payload], as: UTF8.self)
    case .idle: return nil
    case .finished:
      isFinished = true
      return nil
    }
  }

  /// All that is there now, short: `7 {"value":7}` for a state, the name for another event, the
  /// text for a comment; `retry` stands for the hint.
  func read() -> [String] {
    var read: [String] = []
    while let chunk = next() { read += Self.events(in: chunk) }
    return read
  }

  /// As ``read()``, without what was sent first.
  func skipOpening() -> Self {
    _ = next()
    return self
  }

  func close() {
    stream.closed()
  }

  var groups: [StreamGroup] { stream.groups }

  private static func events(in text: String) -> [String] {
    text.split(separator: "\n\n").map { block in
      let lines = block.split(separator: "\n")
      func field(_ name: String) -> Substring? {
        lines.first { $0.hasPrefix("\(name): ") }?.dropFirst(name.count + 2)
      }
      if field("retry") != nil { return "retry" }
      if let name = field("event") { return "\(name) \(field("data") ?? "")" }
      guard let id = field("id"), let data = field("data") else { return String(block) }
      return "\(id.split(separator: "-").last ?? "") \(data)"
    }
  }
}
