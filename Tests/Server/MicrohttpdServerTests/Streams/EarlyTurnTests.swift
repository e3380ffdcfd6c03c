internal import Testing

@testable internal import MicrohttpdServer

/// Writing events before the response of the request that caused them.
@Suite struct EarlyTurnTests {
  @Test func `a woken stream is written to`() throws {
    let worker = try ManualWorker(streams: 3)
    worker.streams[1].publish("news")
    worker.takeEarlyTurn()
    #expect(worker.received() == ["", "news", ""])
  }

  @Test func `a response waits for a few of many woken streams`() throws {
    let worker = try ManualWorker(streams: 20)
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
    let worker = try ManualWorker(streams: 2)
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
    let worker = try ManualWorker(streams: 21)
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
    let worker = try ManualWorker(streams: 0)
    worker.takeEarlyTurn()
    #expect(worker.received() == [])
  }
}
