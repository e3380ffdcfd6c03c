/// Parses server-sent events (WHATWG HTML, 9.2) incrementally.
struct EventParser {
  /// One event.
  struct Event: Equatable {
    /// The event type; `message` if the stream sends none.
    var name = "message"

    /// The data; its lines are joined by newlines.
    var data = ""

    /// The last event id of the stream up to this event.
    var id: String?
  }

  /// The event exceeds 64 MiB.
  struct TooLarge: Error {}

  private static let sizeLimit = 67_108_864

  private var line: [UInt8] = []
  private var event = Event()
  private var hasData = false
  private var size = 0

  /// Parses bytes and returns the events that they complete.
  mutating func read(_ bytes: some Sequence<UInt8>) throws(TooLarge) -> [Event] {
    var events: [Event] = []
    for byte in bytes {
      guard byte == UInt8(ascii: "\n") else {
        size += 1
        guard size <= Self.sizeLimit else { throw TooLarge() }
        line.append(byte)
        continue
      }
      if line.last == UInt8(ascii: "\r") { line.removeLast() }
      if let event = end(of: String(decoding: line, as: UTF8.self)) { events.append(event) }
      line.removeAll(keepingCapacity: true)
    }
    return events
  }

  private mutating func end(of line: String) -> Event? {
    guard !line.isEmpty else {
      defer {
        event = Event(id: event.id)
        hasData = false
        size = 0
      }
      return hasData ? event : nil
    }
    let colon = line.firstIndex(of: ":") ?? line.endIndex
    var value = colon < line.endIndex ? line[line.index(after: colon)...] : ""
    if value.first == " " { value = value.dropFirst() }
    switch line[..<colon] {
    case "event": event.name = String(value)
    case "id": event.id = String(value)
    case "data":
      event.data += hasData ? "\n" + value : value
      hasData = true
    default: break
    }
    return nil
  }
}
