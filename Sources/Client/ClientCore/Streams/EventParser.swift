/// Parses server-sent events (WHATWG HTML, 9.2) incrementally.
package struct EventParser: Sendable {
  /// One event.
  package struct Event: Equatable, Sendable {
    /// The event type; `message` if the stream sends none.
    package var name = "message"

    /// The data; its lines are joined by newlines.
    package var data: [UInt8] = []

    /// The last event id of the stream up to this event.
    package var id: String?

    package var text: String { String(decoding: data, as: UTF8.self) }
  }

  /// One part of a stream.
  package enum Item: Equatable, Sendable {
    /// A complete event with data.
    case event(Event)

    /// A comment, which a server sends to keep a connection alive.
    case comment

    /// The reconnection time, in milliseconds.
    case retry(Int)
  }

  /// The event exceeds 64 MiB.
  package struct TooLarge: Error {}

  private static let sizeLimit = 67_108_864

  /// The received part of a line whose end has not arrived.
  private var line: [UInt8] = []
  private var event = Event()
  private var hasData = false
  private var size = 0

  /// Creates a parser at the beginning of a stream.
  package init() {}

  /// Parses bytes and returns the items that they complete.
  package mutating func items(_ bytes: ArraySlice<UInt8>) throws(TooLarge) -> [Item] {
    var items: [Item] = []
    var rest = bytes
    while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
      size += end - rest.startIndex
      guard size <= Self.sizeLimit else { throw TooLarge() }
      if line.isEmpty {
        endLine(rest[..<end], &items)
      } else {
        let complete = line + rest[..<end]
        line.removeAll(keepingCapacity: true)
        endLine(complete[...], &items)
      }
      rest = rest[(end + 1)...]
    }
    size += rest.count
    guard size <= Self.sizeLimit else { throw TooLarge() }
    line += rest
    return items
  }

  /// Parses bytes and returns the events that they complete.
  package mutating func read(_ bytes: ArraySlice<UInt8>) throws(TooLarge) -> [Event] {
    try items(bytes).compactMap { if case .event(let event) = $0 { event } else { nil } }
  }

  private mutating func endLine(_ line: ArraySlice<UInt8>, _ items: inout [Item]) {
    let line = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
    guard let first = line.first else {
      if hasData { items.append(.event(event)) }
      event = Event(id: event.id)
      hasData = false
      size = 0
      return
    }
    guard first != UInt8(ascii: ":") else { return items.append(.comment) }
    let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.endIndex
    var value = line[colon...].dropFirst()
    if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
    set(line[..<colon], value, &items)
  }

  /// Processes a field.
  ///
  /// Its name is compared as bytes: a comparison of strings would normalize them, which takes
  /// quadratic time for some strings.
  private mutating func set(
    _ name: ArraySlice<UInt8>, _ value: ArraySlice<UInt8>, _ items: inout [Item]
  ) {
    if name.elementsEqual("data".utf8) {
      if hasData { event.data.append(UInt8(ascii: "\n")) }
      event.data += value
      hasData = true
    } else if name.elementsEqual("event".utf8) {
      event.name = value.isEmpty ? "message" : String(decoding: value, as: UTF8.self)
    } else if name.elementsEqual("id".utf8) {
      if !value.contains(0) { event.id = String(decoding: value, as: UTF8.self) }
    } else if name.elementsEqual("retry".utf8) {
      guard value.allSatisfy({ (0x30...0x39).contains($0) }),
        let time = Int(String(decoding: value, as: UTF8.self))
      else { return }
      items.append(.retry(time))
    }
  }
}
