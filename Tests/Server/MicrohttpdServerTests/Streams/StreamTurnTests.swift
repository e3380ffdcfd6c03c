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
