internal import ReactorCoding
internal import ReactorTransport
internal import ReactorHost

/// The text of server-sent events (WHATWG HTML, 9.2).
enum EventText {
  /// The comment that keeps an idle connection alive.
  static let heartbeat = StreamChunk(":\n\n".utf8)

  /// The comment for a subscriber that already has the current State.
  static let current = ": current\n\n"

  /// Returns the reconnection time: one to two seconds at random, so that the clients of a stopped
  /// server do not all reconnect at the same time.
  static func retry() -> String {
    "retry: \(Int.random(in: 1000...2000))\n\n"
  }

  /// Returns the last event of a stream whose credential has expired: one event, or one per
  /// session.
  static func expired(of names: [String]?) -> [UInt8] {
    guard let names, !names.isEmpty else { return notice("expired") }
    return names.flatMap { name in
      notice(
        "expired", JSONValue.object([.init("session", .string(name)), .init("data", [:])]).bytes)
    }
  }

  /// Returns an event that is not a State and therefore has no id.
  static func notice(_ name: String, _ json: some Collection<UInt8> = "{}".utf8) -> [UInt8] {
    Array("event: \(name)\ndata: ".utf8) + json + Array("\n\n".utf8)
  }

  /// The name of the events that change the signals of the Datastar client.
  static let signalsName = "datastar-patch-signals"

  /// The text before the JSON in the data of these events.
  static let signalsPrefix = "signals "

  /// Returns an event that changes signals and is not a State.
  static func signals(_ json: [UInt8]) -> [UInt8] {
    notice(signalsName, Array(signalsPrefix.utf8) + json)
  }
}
