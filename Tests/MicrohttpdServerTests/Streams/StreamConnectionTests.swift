internal import ReactorHTTP
internal import Testing

@testable internal import MicrohttpdServer

@Suite struct StreamConnectionTests {
  @Test func `head and first event leave together`() {
    var connection = streaming()
    #expect(connection.step == .ask)
    connection.accept(.chunk(StreamChunk("event".utf8)))
    connection.accept(.idle)
    #expect(connection.step == .write)
    #expect(connection.owedText == "head5\r\nevent\r\n")
  }

  @Test func `a stream without news sends its head at once`() {
    var connection = streaming()
    connection.accept(.idle)
    #expect(connection.step == .write)
    #expect(connection.owedText == "head")
    connection.wrote(4)
    #expect(connection.step == .rest)
  }

  @Test func `a chunk is shared, not copied, when nothing else is owed`() {
    var connection = started()
    let chunk = StreamChunk("event".utf8)
    connection.wake()
    connection.accept(.chunk(chunk))
    let isShared = connection.owed.withNext { owed in
      unsafe chunk.framed.withUnsafeBytes { unsafe $0.baseAddress == owed.baseAddress }
    }
    #expect(isShared)
  }

  @Test func `events that wait leave together`() {
    var connection = started()
    connection.wake()
    connection.accept(.chunk(StreamChunk("one".utf8)))
    #expect(connection.step == .ask)
    connection.accept(.chunk(StreamChunk("two".utf8)))
    connection.accept(.idle)
    #expect(connection.step == .write)
    #expect(connection.owedText == "3\r\none\r\n3\r\ntwo\r\n")
  }

  @Test(arguments: [1, 5000, 100_000])
  func `no more is taken than is written at once`(size: Int) {
    var connection = started()
    connection.wake()
    let chunk = StreamChunk(repeatElement(UInt8(ascii: "x"), count: size))
    var count = 0
    while connection.step == .ask, count < 1000 {
      connection.accept(.chunk(chunk))
      count += 1
    }
    #expect(connection.step == .write)
    #expect(count == [1: 64, 5000: 4, 100_000: 1][size])
  }

  @Test func `it is not asked while its socket is full`() {
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
    #expect(connection.step == .ask)
    connection.accept(.chunk(StreamChunk("next".utf8)))
    #expect(connection.owedText == "event\r\n4\r\nnext\r\n")
  }

  @Test func `room that nobody waited for is no work`() {
    var connection = started()
    #expect(connection.unblock() == false)
  }

  @Test func `news while the head is still owed join it`() {
    var connection = streaming()
    connection.accept(.idle)
    connection.wrote(1)
    connection.wake()
    #expect(connection.step == .ask)
    connection.accept(.chunk(StreamChunk("x".utf8)))
    #expect(connection.owedText == "ead1\r\nx\r\n")
  }

  @Test(arguments: [true, false])
  func `the end follows what is owed, then our direction is closed`(isChunked: Bool) {
    var connection = StreamConnection(head: [], hasStream: true, isChunked: isChunked)
    connection.accept(.chunk(StreamChunk("x".utf8)))
    connection.finish()
    #expect(!connection.isStreaming)
    #expect(connection.owedText == (isChunked ? "1\r\nx\r\n0\r\n\r\n" : "x"))
    connection.wrote(connection.owed.count)
    #expect(connection.step == .shutDown)
    connection.lingers()
    #expect(connection.isLingering)
    #expect(connection.step == .rest)
  }

  @Test func `what a stream says after its end is not sent`() {
    var connection = started()
    connection.accept(.finished)
    connection.accept(.chunk(StreamChunk("late".utf8)))
    connection.finish()
    #expect(connection.owedText == "0\r\n\r\n")
  }

  @Test func `a heartbeat is owed only by who owes nothing`() {
    var connection = started()
    let beat = StreamChunk(":".utf8)
    #expect(connection.beat(beat) == true)
    #expect(connection.owedText == "1\r\n:\r\n")
    #expect(connection.beat(beat) == false)
    connection.wrote(2)
    #expect(connection.beat(beat) == false)
    connection.wrote(4)
    #expect(connection.beat(beat) == true)
    connection.finish()
    #expect(connection.beat(beat) == false)
  }

  @Test func `without a stream it ends after its head`() {
    var connection = StreamConnection(head: Array("head".utf8), hasStream: false, isChunked: false)
    #expect(connection.step == .write)
    connection.wrote(4)
    #expect(connection.step == .shutDown)
  }

  @Test(arguments: [-1, 100])
  func `a count that cannot be is survived`(count: Int) {
    var connection = streaming()
    connection.accept(.idle)
    connection.wrote(count)
    #expect(connection.owed.count == (count < 0 ? 4 : 0))
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
  fileprivate var owedText: String { owed.text }
}
