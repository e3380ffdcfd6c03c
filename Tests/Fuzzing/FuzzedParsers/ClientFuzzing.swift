internal import ClientCore

/// Parses arbitrary bytes as data that a server sends to the Swift client: responses and events.
enum ClientFuzzing {
  /// Parses server-sent events, whole and in pieces: the result must not depend on the pieces.
  static func events(_ bytes: [UInt8]) {
    var (whole, pieces) = (EventParser(), EventParser())
    guard let items = try? whole.items(bytes[...]) else { return }
    var collected: [EventParser.Item] = []
    for start in stride(from: 0, to: bytes.count, by: 7) {
      guard let some = try? pieces.items(bytes[start..<min(start + 7, bytes.count)]) else {
        fatalError("a part is larger than the whole")
      }
      collected += some
    }
    require(items == collected, "the events do not depend on where the stream is cut")
    for case .event(let event) in items {
      guard let id = event.id else { continue }
      _ = SessionCursor(id)
      _ = CompositeID.cursor(of: CompositeID.tag(of: "counter/demo"), in: id)
    }
  }

  /// Parses events without checking postconditions.
  static func eventsOnly(_ bytes: [UInt8]) {
    var parser = EventParser()
    _ = try? parser.items(bytes[...])
  }

  /// Parses a response of HTTP/1.1, whole and in pieces.
  static func response(_ bytes: [UInt8]) {
    var whole = ResponseParser()
    guard let body = try? whole.read(bytes[...]) else { return }
    _ = whole.head?.cursor
    _ = whole.keepsConnection
    var pieces = ResponseParser()
    var collected: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: 7) {
      guard let some = try? pieces.read(bytes[start..<min(start + 7, bytes.count)]) else {
        fatalError("a part is malformed, and the whole is not")
      }
      collected += some
    }
    require(body == collected, "the body does not depend on where the response is cut")
    require(whole.isComplete == pieces.isComplete, "nor does its end")
  }

  /// Parses a response without checking postconditions.
  static func responseOnly(_ bytes: [UInt8]) {
    var parser = ResponseParser()
    _ = try? parser.read(bytes[...])
    _ = parser.head?.cursor
    _ = parser.keepsConnection
  }
}
