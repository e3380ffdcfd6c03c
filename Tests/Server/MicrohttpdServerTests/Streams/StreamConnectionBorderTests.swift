internal import ReactorTransport
internal import Testing

@testable internal import MicrohttpdServer

/// A socket accepts any part of the pending bytes, and any event may follow: each test covers every
/// border between two bytes.
@Suite struct StreamConnectionBorderTests {
  private static let head = "head"
  private static let events = ["first", "second, which is longer"]
  private static let lastChunk = "0\r\n\r\n"
  private static let whole = "head5\r\nfirst\r\n17\r\nsecond, which is longer\r\n" + lastChunk

  @Test(arguments: 1...whole.utf8.count)
  func `every byte is written once and in order, whatever the size of the writes`(room: Int) {
    var wire = Wire(Self.head, Self.events)
    wire.run(room: room)
    #expect(wire.text == Self.whole)
    #expect(wire.hasShutDown)
  }

  @Test(arguments: 1...whole.utf8.count)
  func `without chunks only the payloads are written`(room: Int) {
    var wire = Wire(Self.head, Self.events, isChunked: false)
    wire.run(room: room)
    #expect(wire.text == Self.head + Self.events.joined())
    #expect(wire.hasShutDown)
  }

  @Test(arguments: 0..<whole.utf8.count)
  func `a full socket continues at the same byte when it has room`(
    border: Int
  ) {
    var wire = Wire(Self.head, Self.events)
    wire.run(upTo: border)
    if !wire.connection.pending.isEmpty {
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
  func `the end follows the pending bytes at any border`(border: Int) {
    var wire = Wire(Self.head, Self.events)
    wire.run(upTo: border)
    let expected = wire.text + wire.pendingText
    let wasStreaming = wire.connection.isStreaming
    wire.connection.finish()
    #expect(!wire.connection.isStreaming)
    wire.run(room: 1)
    #expect(wire.text == expected + (wasStreaming ? Self.lastChunk : ""))
    #expect(wire.hasShutDown)
  }

  @Test(arguments: 0...whole.utf8.count)
  func `a heartbeat is never inserted into pending bytes`(border: Int) {
    var wire = Wire(Self.head, Self.events)
    wire.run(upTo: border)
    let isFree = wire.connection.isStreaming && wire.connection.pending.isEmpty
    #expect(wire.connection.appendHeartbeat(StreamChunk(":".utf8)) == isFree)
    wire.run(room: 1)
    let whole = Array(Self.whole.utf8)
    let heartbeat = isFree ? Array("1\r\n:\r\n".utf8) : []
    #expect(wire.sent == whole[..<border] + heartbeat + whole[border...])
  }

  @Test(arguments: 0..<head.utf8.count)
  func `a connection without a stream ends after its head at any border`(border: Int) {
    var wire = Wire(
      StreamConnection(head: Array(Self.head.utf8), hasStream: false, isChunked: true))
    wire.run(upTo: border)
    wire.connection.mustWait()
    #expect(wire.connection.step == .rest)
    #expect(wire.connection.unblock() == true)
    #expect(wire.connection.appendHeartbeat(StreamChunk(":".utf8)) == false)
    wire.connection.accept(.chunk(StreamChunk("late".utf8)))
    wire.connection.finish()
    wire.run(room: 1)
    #expect(wire.text == Self.head)
    #expect(wire.hasShutDown)
  }
}

/// Carries out the steps of one connection, whose stream has some events.
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
  var pendingText: String {
    connection.pending.text
  }

  /// Carries out steps until there are none, or `border` bytes were sent.
  ///
  /// - Parameters:
  ///   - border: The total number of bytes to send.
  ///   - room: The number of bytes that the socket accepts per write.
  mutating func run(upTo border: Int = .max, room: Int = .max) {
    while sent.count < border {
      switch connection.step {
      case .poll:
        connection.accept(
          events.isEmpty ? .finished : .chunk(StreamChunk(events.removeFirst().utf8)))
      case .write:
        let part = connection.pending.withNext {
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
