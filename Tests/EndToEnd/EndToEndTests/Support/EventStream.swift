import Testing

/// A stream of server-sent events, read block by block.
///
/// Confined to one thread.
final class EventStream {
  /// The head of the response.
  let head: HTTPResponse

  private let connection: Connection
  private let reader: ResponseReader
  private let framing: ResponseReader.Framing
  private var text: [UInt8] = []
  private var position = 0
  private var isFinished = false

  /// Opens a stream and reads the head of the response; ``next(within:)`` reads the rest.
  ///
  /// With a small receive buffer a client that does not read blocks the service early.
  init(
    port: UInt16, at address: NetworkAddress? = nil, _ path: String,
    _ headers: [String: String] = [:], method: String = "GET", receiveBuffer: Int32? = nil,
    source: UInt8? = nil
  ) throws {
    connection = try Connection(
      port: port, at: address, receiveBuffer: receiveBuffer, source: source)
    var request = "\(method) \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n"
    request += "Accept: text/event-stream\r\n"
    for (name, value) in headers { request += "\(name): \(value)\r\n" }
    try connection.send(request + "\r\n")
    reader = ResponseReader(connection: connection)
    head = try reader.head(until: .now + Connection.timeout)
    #expect(head["X-Content-Type-Options"] == "nosniff")
    framing = reader.framing(of: head, to: method)
  }

  /// The next block, or `nil` after a regular end.
  func next(within time: Duration = Connection.timeout) throws -> ServerSentEvent? {
    let deadline = ContinuousClock.now + time
    while true {
      if let block = takeBlock() { return block }
      guard try fill(until: deadline) else {
        guard position == text.count else { throw WireError.closed(within: "an event") }
        return nil
      }
    }
  }

  /// The next block that a browser would dispatch as an event, or `nil` after the end.
  func nextEvent(within time: Duration = Connection.timeout) throws -> ServerSentEvent? {
    let deadline = ContinuousClock.now + time
    while let block = try next(within: deadline - .now) {
      if block.isDispatched { return block }
    }
    return nil
  }

  /// Reads and returns the events up to the one with a version.
  func events(
    upTo version: Int, within time: Duration = Connection.timeout
  ) throws -> [ServerSentEvent] {
    let deadline = ContinuousClock.now + time
    var events: [ServerSentEvent] = []
    while let event = try nextEvent(within: deadline - .now) {
      events.append(event)
      if let cursor = event.cursor, cursor.version >= version { return events }
    }
    throw WireError.closed(within: "the stream, before version \(version)")
  }

  /// Disconnects.
  func abort() {
    connection.abort()
  }

  /// Stops to acknowledge packets, as if the machine had lost its network.
  func vanish() throws {
    try connection.vanish()
  }

  private func takeBlock() -> ServerSentEvent? {
    var block = ServerSentEvent()
    var index = position
    while let end = text.firstIndex(of: UInt8(ascii: "\n"), from: index) {
      let line = String(decoding: text[index..<end], as: UTF8.self)
      index = end + 1
      if line.isEmpty {
        position = index
        return block
      }
      block.take(line[...])
    }
    return nil
  }

  private func fill(until deadline: ContinuousClock.Instant) throws -> Bool {
    guard !isFinished else { return false }
    if position > 0 {
      text.removeFirst(position)
      position = 0
    }
    let bytes: [UInt8]? =
      switch framing {
      case .none: nil
      case .chunked: try reader.chunk(until: deadline)
      case .length, .untilClose: try connection.someBytes(until: deadline, "an event")
      }
    guard let bytes else {
      isFinished = true
      return false
    }
    text += bytes
    return true
  }
}
