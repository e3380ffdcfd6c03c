import RandomJSON
import ReactorCoding
import Testing

@testable import ClientCore

/// The client's application of patches, for random States and random failures of the connection.
struct PatchPropertyTests {
  @Test(arguments: 0..<8)
  func `the client's States are the server's after any sequence of events`(seed: UInt64) throws {
    var stream = RandomStream(seed: seed)
    stream.open()
    for _ in 0..<400 {
      stream.step()
      try stream.check()
    }
    #expect(stream.patches > 50)
    #expect(stream.openings > 5)
  }
}

/// A server of random States and the machine that follows them.
private struct RandomStream {
  private struct Session {
    let key: String
    /// The States from version 0 on.
    var states: [JSONValue]
    /// The version after the last event on the current stream.
    var sent = 0

    var tag: String { CompositeID.tag(of: key) }
  }

  private var generator: JSONGenerator
  private var machine = StreamMachine(capacity: 3, random: { 0.5 })
  private var sessions: [Session] = []
  private var stream = 0
  private var lastEvent: String?
  private var now = Duration.zero
  private(set) var patches = 0
  private(set) var openings = 0

  init(seed: UInt64) {
    generator = JSONGenerator(seed: seed)
    for key in ["list/a", "list/b", "table/c"] {
      sessions.append(Session(key: key, states: [generator.value(depth: 3)]))
      _ = machine.join(key, now: now)
    }
  }

  /// Opens a stream.
  ///
  /// For each session it begins with a patch from the request's cursor, or with the State.
  mutating func open() {
    now = machine.deadline ?? now
    for case .open(let request, let number) in machine.wake(now: now) {
      openings += 1
      stream = number
      let id = request.fields.first { $0.name == "Last-Event-ID" }?.value ?? ""
      let head = TransportHead(status: 200, fields: [("Content-Type", "text/event-stream")])
      _ = machine.opened(stream: stream, head, now: now)
      for index in sessions.indices {
        let cursor = CompositeID.cursor(of: sessions[index].tag, in: id)
        if let cursor {
          send(patch(index, from: cursor.version))
        } else {
          send(state(index))
        }
      }
    }
  }

  /// Commits a State, repeats an event, or cuts the connection.
  mutating func step() {
    let index = Int.random(in: sessions.indices, using: &generator)
    switch Int.random(in: 0..<20, using: &generator) {
    case 0:
      // Cut the connection in the middle of an event, whose first half is lost.
      let event = state(index)
      receive(String(event.prefix(event.count / 2)))
      _ = machine.closed(stream: stream, nil, now: now)
      open()
    case 1: if let lastEvent { receive(lastEvent) }
    case 2...4:
      sessions[index].states.append(generator.value(depth: 3))
      send(state(index))
    default:
      // One event can contain several versions.
      for _ in 0...Int.random(in: 0..<3, using: &generator) {
        let last = sessions[index].states[sessions[index].states.count - 1]
        sessions[index].states.append(generator.changed(last))
      }
      send(patch(index, from: sessions[index].sent))
    }
  }

  /// Compares the copies of the machine with the States of the server.
  func check() throws {
    for session in sessions {
      let copy = try #require(machine.state(of: session.key))
      #expect(copy.cursor.version == session.states.count - 1)
      #expect(copy.json.value.isEquivalent(to: try #require(session.states.last)))
    }
  }

  private mutating func state(_ index: Int) -> String {
    let session = sessions[index]
    sessions[index].sent = session.states.count - 1
    let json = String(decoding: session.states[session.states.count - 1].bytes, as: UTF8.self)
    return "event: \(session.key)\nid: \(id)\ndata: \(json)\n\n"
  }

  private mutating func patch(_ index: Int, from version: Int) -> String {
    let session = sessions[index]
    let latest = session.states.count - 1
    sessions[index].sent = latest
    patches += 1
    let patch = JSONDifference.patch(
      from: session.states[version].bytes, to: session.states[latest].bytes)
    let text = String(decoding: patch, as: UTF8.self)
    let data = "{\"session\":\"\(session.key)\",\"data\":\(text)}"
    return "event: patch\nid: \(id)\ndata: \(data)\n\n"
  }

  /// The cursors of all sessions.
  private var id: String {
    CompositeID.text(
      sessions.map { ($0.tag, SessionCursor(epoch: "k", version: $0.sent)) })
  }

  private mutating func send(_ event: String) {
    lastEvent = event
    receive(event)
  }

  /// Delivers text in pieces of random sizes, which can divide a character.
  private mutating func receive(_ text: String) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let piece = rest.prefix(Int.random(in: 1...200, using: &generator))
      _ = machine.received(stream: stream, piece, now: now)
      rest = rest.dropFirst(piece.count)
    }
  }
}
