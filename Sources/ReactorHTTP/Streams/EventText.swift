internal import ReactorHost

/// The text of server-sent events (WHATWG HTML, 9.2).
enum EventText {
  /// A comment that keeps an idle connection alive.
  static let heartbeat = StreamChunk(":\n\n".utf8)

  /// What a subscriber gets that has everything already.
  static let current = ": current\n\n"

  /// The cursor that a client came with is not one of this history.
  static let reset = "event: reset\ndata: {}\n\n"

  /// The session was deleted.
  static let end = StreamChunk("event: end\ndata: {}\n\n".utf8)

  /// The service is stopping.
  static let draining = StreamChunk("event: draining\ndata: {}\n\n".utf8)

  /// How long a client should wait before it comes back: one to two seconds, so that the clients of
  /// a server that went away do not all come at once.
  static func retry() -> String {
    "retry: \(Int.random(in: 1000...2000))\n\n"
  }

  /// A state as an unnamed event.
  ///
  /// JSON as the service writes it has no line ends.
  static func state(_ cursor: Cursor, _ json: some Collection<UInt8>) -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity(json.count + 96)
    text += "id: \(cursor)\ndata: ".utf8
    text += json
    text += "\n\n".utf8
    return text
  }
}
