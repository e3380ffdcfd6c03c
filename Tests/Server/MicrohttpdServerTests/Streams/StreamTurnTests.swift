internal import Testing

@testable internal import MicrohttpdServer

/// The turns of the clients of one thread, and what closed connections hold.
@Suite struct StreamTurnTests {
  @Test(arguments: [2, 200]) func `a client with many woken streams delays another by one of them`(
    count: Int
  ) throws {
    let worker = try ManualWorker(streams: count) { $0 == count - 1 ? 2 : 1 }
    for stream in worker.streams { stream.publish("news") }
    worker.takeEarlyTurn()
    let received = worker.received()
    #expect(received.last == "news")
    #expect(received.count { $0 == "news" } == min(count, 8))
  }

  @Test func `beyond the bytes that all streams may hold, those with the most are closed`() throws {
    let worker = try ManualWorker(streams: 4, unsent: 6_000_000)
    let sizes = [2_000_000, 5_000_000, 3_000_000, 4_000_000]
    for (stream, size) in zip(worker.streams, sizes) {
      stream.publish(String(repeating: "x", count: size))
    }
    for _ in 0..<4 { worker.takeTurn() }
    #expect(worker.streams.map(\.closings) == [0, 1, 0, 1])
    #expect(worker.heldBytes < 5_000_000)
    #expect(worker.endedStreams == 2)
  }

  @Test func `the slot of a closed connection holds no bytes`() throws {
    let worker = try ManualWorker(streams: 3)
    let large = String(repeating: "x", count: 4_000_000)
    for stream in worker.streams { stream.publish(large) }
    worker.takeTurn()
    #expect(worker.heldBytes > 3_000_000)
    for index in 0..<3 { worker.hangUp(index) }
    worker.handleEvents()
    #expect(worker.streams.allSatisfy { $0.closings == 1 })
    #expect(worker.heldBytes == 0)
    worker.takeTurn()
  }
}
