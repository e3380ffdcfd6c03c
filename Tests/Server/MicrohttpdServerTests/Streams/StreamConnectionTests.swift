internal import ReactorTransport
internal import Testing

@testable internal import MicrohttpdServer

@Suite struct StreamConnectionTests {
  @Test func `the head and the first event are sent together`() {
    var connection = streaming()
    #expect(connection.step == .poll)
    connection.accept(.chunk(StreamChunk("event".utf8)))
    connection.accept(.idle)
    #expect(connection.step == .write)
    #expect(connection.pendingText == "head5\r\nevent\r\n")
  }

  @Test func `an idle stream sends its head at once`() {
    var connection = streaming()
    connection.accept(.idle)
    #expect(connection.step == .write)
    #expect(connection.pendingText == "head")
    connection.wrote(4)
    #expect(connection.step == .rest)
  }

  @Test func `a chunk is shared, not copied, when nothing else is pending`() {
    var connection = started()
    let chunk = StreamChunk("event".utf8)
    connection.wake()
    connection.accept(.chunk(chunk))
    let isShared = connection.pending.withNext { pending in
      unsafe chunk.framed.withUnsafeBytes { unsafe $0.baseAddress == pending.baseAddress }
    }
    #expect(isShared)
  }

  @Test func `pending events are sent together`() {
    var connection = started()
    connection.wake()
    connection.accept(.chunk(StreamChunk("one".utf8)))
    #expect(connection.step == .poll)
    connection.accept(.chunk(StreamChunk("two".utf8)))
    connection.accept(.idle)
    #expect(connection.step == .write)
    #expect(connection.pendingText == "3\r\none\r\n3\r\ntwo\r\n")
  }

  @Test(arguments: [1, 5000, 100_000])
  func `a stream is polled for no more than one write`(size: Int) {
    var connection = started()
    connection.wake()
    let chunk = StreamChunk(repeatElement(UInt8(ascii: "x"), count: size))
    var count = 0
    while connection.step == .poll, count < 1000 {
      connection.accept(.chunk(chunk))
      count += 1
    }
    #expect(connection.step == .write)
    #expect(count == [1: 64, 5000: 4, 100_000: 1][size])
  }

  @Test func `a stream is not polled while its socket is full`() {
    var connection = started()
    connection.wake()
    connection.accept(.chunk(StreamChunk("event".utf8)))
    connection.accept(.idle)
    connection.wrote(3)
    connection.mustWait()
    #expect(connection.step == .rest)
    connection.wake()
    #expect(connection.step == .rest)
    #expect(connection.unblock() == true)
    #expect(connection.step == .poll)
    connection.accept(.chunk(StreamChunk("next".utf8)))
    #expect(connection.pendingText == "event\r\n4\r\nnext\r\n")
  }

  @Test func `a writable socket causes work only if the connection waits for it`() {
    var connection = started()
    #expect(connection.unblock() == false)
  }

  @Test func `an event while the head is pending follows it`() {
    var connection = streaming()
    connection.accept(.idle)
    connection.wrote(1)
    connection.wake()
    #expect(connection.step == .poll)
    connection.accept(.chunk(StreamChunk("x".utf8)))
    #expect(connection.pendingText == "ead1\r\nx\r\n")
  }

  @Test(arguments: [true, false])
  func `the end follows the pending bytes, then the writing direction is closed`(isChunked: Bool) {
    var connection = StreamConnection(head: [], hasStream: true, isChunked: isChunked)
    connection.accept(.chunk(StreamChunk("x".utf8)))
    connection.finish()
    #expect(!connection.isStreaming)
    #expect(connection.pendingText == (isChunked ? "1\r\nx\r\n0\r\n\r\n" : "x"))
    connection.wrote(connection.pending.count)
    #expect(connection.step == .shutDown)
    connection.lingers()
    #expect(connection.isLingering)
    #expect(connection.step == .rest)
  }

  @Test func `output after the end of a stream is not sent`() {
    var connection = started()
    connection.accept(.finished)
    connection.accept(.chunk(StreamChunk("late".utf8)))
    connection.finish()
    #expect(connection.pendingText == "0\r\n\r\n")
  }

  @Test func `a heartbeat is appended only when nothing is pending`() {
    var connection = started()
    let heartbeat = StreamChunk(":".utf8)
    #expect(connection.appendHeartbeat(heartbeat) == true)
    #expect(connection.pendingText == "1\r\n:\r\n")
    #expect(connection.appendHeartbeat(heartbeat) == false)
    connection.wrote(2)
    #expect(connection.appendHeartbeat(heartbeat) == false)
    connection.wrote(4)
    #expect(connection.appendHeartbeat(heartbeat) == true)
    connection.finish()
    #expect(connection.appendHeartbeat(heartbeat) == false)
  }

  @Test func `a connection without a stream ends after its head`() {
    var connection = StreamConnection(head: Array("head".utf8), hasStream: false, isChunked: false)
    #expect(connection.step == .write)
    connection.wrote(4)
    #expect(connection.step == .shutDown)
  }

  @Test(arguments: [-1, 100])
  func `an impossible count of written bytes is clamped`(count: Int) {
    var connection = streaming()
    connection.accept(.idle)
    connection.wrote(count)
    #expect(connection.pending.count == (count < 0 ? 4 : 0))
  }

  private func streaming() -> StreamConnection {
    StreamConnection(head: Array("head".utf8), hasStream: true, isChunked: true)
  }

  /// A connection whose head is written and whose stream was idle.
  private func started() -> StreamConnection {
    var connection = streaming()
    connection.accept(.idle)
    connection.wrote(4)
    return connection
  }
}

extension StreamConnection {
  fileprivate var pendingText: String { pending.text }
}
