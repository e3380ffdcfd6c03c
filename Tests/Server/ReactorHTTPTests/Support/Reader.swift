import ReactorTransport
import ReactorCoding
import ReactorHTTP

/// Pulls a stream as a connection does.
final class Reader {
  private let stream: any ByteStream
  private(set) var isFinished = false
  /// The id of the last event that had one.
  private(set) var lastID: String?
  /// The versions of all events that had one.
  private(set) var ids: [Int] = []

  init(_ stream: any ByteStream) {
    self.stream = stream
  }

  /// The next chunk's payload, or `nil` if the stream is idle or finished.
  func next() -> String? {
    switch stream.next() {
    case .chunk(let chunk):
      let text = String(decoding: chunk.framed[chunk.payload], as: UTF8.self)
      for line in text.split(separator: "\n") where line.hasPrefix("id: ") {
        lastID = String(line.dropFirst(4))
        ids += line.split(separator: "-").last.flatMap { Int($0) }.map { [$0] } ?? []
      }
      return text
    case .idle: return nil
    case .finished:
      isFinished = true
      return nil
    }
  }

  /// The last event of the next chunk, or `nil` if there is none.
  func nextEvent() -> (name: String?, version: Int?, json: JSONElement?)? {
    guard let chunk = next() else { return nil }
    let lines = chunk.split(separator: "\n")
    func field(_ name: String) -> Substring? {
      lines.last { $0.hasPrefix("\(name): ") }?.dropFirst(name.count + 2)
    }
    let data = field("data").flatMap { try? JSONDocument(parsing: Array($0.utf8)).root }
    let version = field("id")?.split(separator: "-").last.flatMap { Int($0) }
    return (field("event").map(String.init), version, data)
  }

  /// The available events in short form: `7 {"value":7}` for a state, the name for another event,
  /// the text for a comment, `retry` for the reconnection time.
  func read() -> [String] {
    var read: [String] = []
    while let chunk = next() { read += Self.events(in: chunk) }
    return read
  }

  /// As ``read()``, without the opening.
  func skipOpening() -> Self {
    _ = next()
    return self
  }

  func close() {
    stream.closed()
  }

  var groups: [StreamGroup] { stream.groups }

  var retainedBytes: Int { stream.retainedBytes }

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
