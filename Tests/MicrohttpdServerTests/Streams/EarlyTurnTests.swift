internal import Glibc
internal import ReactorHTTP
internal import Testing

@testable internal import MicrohttpdServer

/// What a worker of streams does between a request and its answer.
@Suite struct EarlyTurnTests {
  @Test func `who was woken is written to`() throws {
    let worker = try Worker(streams: 3)
    worker.streams[1].tell("news")
    worker.takeEarlyTurn()
    #expect(worker.received() == ["", "news", ""])
  }

  @Test func `of many who were woken, an answer waits for a few`() throws {
    let worker = try Worker(streams: 20)
    for stream in worker.streams { stream.tell("news") }
    worker.takeEarlyTurn()
    let early = worker.received().count { $0 == "news" }
    #expect(early == 8)
    // The next answer of this turn finds a broadcast under way, and does not wait for it.
    worker.takeEarlyTurn()
    #expect(worker.received().allSatisfy { $0.isEmpty })
    worker.takeTurn()
    #expect(worker.received().count { $0 == "news" } == 20 - early)
  }

  @Test func `who was written to waits for the turn, where all that came since leaves together`()
    throws
  {
    let worker = try Worker(streams: 2)
    worker.streams[0].tell("1")
    worker.takeEarlyTurn()
    worker.streams[0].tell("2")
    worker.takeEarlyTurn()
    #expect(worker.received() == ["1", ""])
    worker.streams[0].tell("3")
    worker.takeTurn()
    #expect(worker.received() == ["23", ""])
    worker.advanceClock()
    worker.streams[0].tell("4")
    worker.takeEarlyTurn()
    #expect(worker.received() == ["4", ""])
  }

  @Test func `without streams nothing is looked at`() throws {
    let worker = try Worker(streams: 0)
    worker.takeEarlyTurn()
    #expect(worker.received() == [])
  }
}

/// A worker without a thread whose streams are opened and have nothing to say, on a clock that stands.
private final class Worker {
  let streams: [TestStream]
  private let worker: StreamWorker
  private let clients: [Int32]

  init(streams count: Int) throws {
    streams = (0..<count).map { _ in TestStream() }
    let loop = try StreamLoop(settings: .init(), openStreams: try ActivityCount())
    worker = loop.makeWorker()
    var clients: [Int32] = []
    for stream in streams {
      var ends: [Int32] = [-1, -1]
      guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0 else {
        throw TestFailure("no sockets")
      }
      clients.append(ends[0])
      loop.adopt(HandOff(socket: ends[1], head: [], stream: stream, isChunked: false))
    }
    self.clients = clients
    takeTurn()
    advanceClock()
  }

  deinit {
    worker.endAll()
    for client in clients { close(client) }
  }

  func takeEarlyTurn() { worker.takeEarlyTurn() }

  func takeTurn() { worker.takeTurn(atMost: 64) }

  func advanceClock() { worker.now += 1 }

  /// What each client was sent since the last time.
  func received() -> [String] {
    clients.map { client in
      var bytes = [UInt8](repeating: 0, count: 256)
      let count = recv(client, &bytes, bytes.count, Int32(MSG_DONTWAIT))
      return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }
  }
}
