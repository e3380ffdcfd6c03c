internal import Glibc
internal import ReactorTransport
internal import SystemThreads
internal import Testing

@testable internal import MicrohttpdServer

/// Writing events before the response of the request that caused them.
@Suite struct EarlyTurnTests {
  @Test func `a woken stream is written to`() throws {
    let worker = try Worker(streams: 3)
    worker.streams[1].publish("news")
    worker.takeEarlyTurn()
    #expect(worker.received() == ["", "news", ""])
  }

  @Test func `a response waits for a few of many woken streams`() throws {
    let worker = try Worker(streams: 20)
    for stream in worker.streams { stream.publish("news") }
    worker.takeEarlyTurn()
    let early = worker.received().count { $0 == "news" }
    #expect(early == 8)
    // The next response of this turn does not wait for the rest of the broadcast.
    worker.takeEarlyTurn()
    #expect(worker.received().allSatisfy { $0.isEmpty })
    worker.takeTurn()
    #expect(worker.received().count { $0 == "news" } == 20 - early)
  }

  @Test func `a stream that was written to in this turn sends later events together at its end`()
    throws
  {
    let worker = try Worker(streams: 2)
    worker.streams[0].publish("1")
    worker.takeEarlyTurn()
    worker.streams[0].publish("2")
    worker.takeEarlyTurn()
    #expect(worker.received() == ["1", ""])
    worker.streams[0].publish("3")
    worker.takeTurn()
    #expect(worker.received() == ["23", ""])
    worker.advanceClock()
    worker.streams[0].publish("4")
    worker.takeEarlyTurn()
    #expect(worker.received() == ["4", ""])
  }

  @Test func `streams with large events take turns, and a turn writes a bounded number of bytes`()
    throws
  {
    let worker = try Worker(streams: 21)
    let large = String(repeating: "x", count: 100_000)
    for stream in worker.streams.dropLast() { stream.publish(large) }
    worker.streams[20].publish("news")
    let share = OutboundBytes.share
    let expected: [(first: Int, next: Int, small: Int)] = [
      (share, 0, 0), (100_000 - share, 100_000, 4),
    ]
    for (first, next, small) in expected {
      worker.takeTurn()
      let sizes = worker.receivedSizes()
      #expect(sizes[..<16].allSatisfy { $0 == first })
      #expect(sizes[16..<20].allSatisfy { $0 == next })
      #expect(sizes[20] == small)
    }
  }

  @Test func `an early turn without streams has no effect`() throws {
    let worker = try Worker(streams: 0)
    worker.takeEarlyTurn()
    #expect(worker.received() == [])
  }
}

/// A worker without a thread, with open idle streams and a manual clock.
private final class Worker {
  let streams: [TestStream]
  private let worker: StreamWorker
  private let clients: [Int32]

  init(streams count: Int) throws {
    streams = (0..<count).map { _ in TestStream() }
    let loop = try StreamLoop(settings: .init(), openStreams: try #require(ActivityCount()))
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

  /// Returns the number of bytes that each client has received since the last call.
  func receivedSizes() -> [Int] {
    var bytes = [UInt8](repeating: 0, count: 200_000)
    return clients.map { client in
      var size = 0
      while true {
        let count = recv(client, &bytes, bytes.count, Int32(MSG_DONTWAIT))
        guard count > 0 else { return size }
        size += count
      }
    }
  }

  /// Returns the bytes that each client has received since the last call.
  func received() -> [String] {
    clients.map { client in
      var bytes = [UInt8](repeating: 0, count: 256)
      let count = recv(client, &bytes, bytes.count, Int32(MSG_DONTWAIT))
      return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }
  }
}
