internal import ReactorHTTP
internal import Testing

@testable internal import MicrohttpdServer

/// A socket takes any part of what is owed, and anything may happen before it takes the rest: each
/// test meets every border between two bytes.
@Suite struct StreamConnectionBorderTests {
  private static let head = "head"
  private static let events = ["first", "second, which is longer"]
  private static let lastChunk = "0\r\n\r\n"
  private static let whole = "head5\r\nfirst\r\n17\r\nsecond, which is longer\r\n" + lastChunk

  @Test(arguments: 1...whole.utf8.count)
  func `however much is taken at a time, every byte is written once and in order`(room: Int) {
    var wire = Wire(Self.head, Self.events)
    wire.run(room: room)
    #expect(wire.text == Self.whole)
    #expect(wire.hasShutDown)
  }

  @Test(arguments: 1...whole.utf8.count)
  func `without chunks the payloads stand alone`(room: Int) {
    var wire = Wire(Self.head, Self.events, isChunked: false)
    wire.run(room: room)
    #expect(wire.text == Self.head + Self.events.joined())
    #expect(wire.hasShutDown)
  }

  @Test(arguments: 0..<whole.utf8.count)
  func `a socket that is full anywhere is written to when it has room, and goes on there`(
    border: Int
  ) {
    var wire = Wire(Self.head, Self.events)
    wire.run(upTo: border)
    if !wire.connection.owed.isEmpty {
      wire.connection.mustWait()
      wire.connection.wake()
      wire.run()
      #expect(wire.sent.count == border)
      #expect(wire.connection.unblock() == true)
    }
    wire.run(room: 1)
    #expect(wire.text == Self.whole)
  }

  @Test(arguments: 0...whole.utf8.count)
  func `an end that comes anywhere follows what is owed`(border: Int) {
    var wire = Wire(Self.head, Self.events)
    wire.run(upTo: border)
    let promised = wire.text + wire.owedText
    let wasStreaming = wire.connection.isStreaming
    wire.connection.finish()
    #expect(!wire.connection.isStreaming)
    wire.run(room: 1)
    #expect(wire.text == promised + (wasStreaming ? Self.lastChunk : ""))
    #expect(wire.hasShutDown)
  }

  @Test(arguments: 0...whole.utf8.count)
  func `a heartbeat never stands within what is owed`(border: Int) {
    var wire = Wire(Self.head, Self.events)
    wire.run(upTo: border)
    let isFree = wire.connection.isStreaming && wire.connection.owed.isEmpty
    #expect(wire.connection.beat(StreamChunk(":".utf8)) == isFree)
    wire.run(room: 1)
    let whole = Array(Self.whole.utf8)
    let beat = isFree ? Array("1\r\n:\r\n".utf8) : []
    #expect(wire.sent == whole[..<border] + beat + whole[border...])
  }

  @Test(arguments: 0..<head.utf8.count)
  func `a connection that is handed over without a stream ends after its head`(border: Int) {
    var wire = Wire(
      StreamConnection(head: Array(Self.head.utf8), hasStream: false, isChunked: true))
    wire.run(upTo: border)
    wire.connection.mustWait()
    #expect(wire.connection.step == .rest)
    #expect(wire.connection.unblock() == true)
    #expect(wire.connection.beat(StreamChunk(":".utf8)) == false)
    wire.connection.accept(.chunk(StreamChunk("late".utf8)))
    wire.connection.finish()
    wire.run(room: 1)
    #expect(wire.text == Self.head)
    #expect(wire.hasShutDown)
  }
}

/// A loop with one connection: does what it says, with a stream of some events.
private struct Wire {
  var connection: StreamConnection
  private var events: [String]
  private(set) var sent: [UInt8] = []
  private(set) var hasShutDown = false

  init(_ connection: StreamConnection, _ events: [String] = []) {
    self.connection = connection
    self.events = events
  }

  init(_ head: String, _ events: [String], isChunked: Bool = true) {
    self.init(
      StreamConnection(head: Array(head.utf8), hasStream: true, isChunked: isChunked), events)
  }

  var text: String { String(decoding: sent, as: UTF8.self) }
  var owedText: String {
    connection.owed.text
  }

  /// Goes on until there is nothing to do or `border` bytes were sent.
  ///
  /// - Parameters:
  ///   - border: How many bytes are sent in all.
  ///   - room: How many bytes the socket takes at a time.
  mutating func run(upTo border: Int = .max, room: Int = .max) {
    while sent.count < border {
      switch connection.step {
      case .ask:
        connection.accept(
          events.isEmpty ? .finished : .chunk(StreamChunk(events.removeFirst().utf8)))
      case .write:
        let part = connection.owed.withNext {
          unsafe Array($0.prefix(min(room, border - sent.count)))
        }
        sent += part
        connection.wrote(part.count)
      case .rest: return
      case .shutDown:
        hasShutDown = true
        connection.lingers()
      }
    }
  }
}
