internal import ReactorHost

/// The text of server-sent events (WHATWG HTML, 9.2).
enum EventText {
  /// A comment that keeps an idle connection alive.
  static let heartbeat = StreamChunk(":\n\n".utf8)

  /// What a subscriber gets that has everything already.
  static let current = ": current\n\n"

  /// How long a client should wait before it comes back: one to two seconds, so that the clients of
  /// a server that went away do not all come at once.
  static func retry() -> String {
    "retry: \(Int.random(in: 1000...2000))\n\n"
  }

  /// An event that shows no state, and has no cursor therefore.
  static func notice(_ name: String, _ json: some Collection<UInt8> = "{}".utf8) -> [UInt8] {
    Array("event: \(name)\ndata: ".utf8) + json + Array("\n\n".utf8)
  }
}
