internal import ReactorTransport
internal import Testing

@testable internal import MicrohttpdServer

/// The time limit of streams whose clients do not read.
@Suite struct StalledStreamTests {
  /// More than the buffer of a socket.
  private let large = String(repeating: "x", count: 4 << 20)

  /// A worker whose only timer is the time limit of a minute.
  private func worker(
    streams count: Int, stall: Duration = .seconds(60)
  ) throws -> ManualWorker {
    var settings = MicrohttpdServer.Settings()
    settings.heartbeat = .zero
    settings.timeouts.stall = stall
    return try ManualWorker(streams: count, settings: settings)
  }

  /// Writes to the streams until their sockets are full.
  private func fill(_ worker: ManualWorker) {
    for _ in 0..<100 { worker.takeTurn() }
  }

  @Test func `a stream is closed when its full socket has accepted no byte for the limit`() throws {
    let worker = try worker(streams: 2)
    #expect(worker.untilTimer == -1)
    worker.streams[0].publish(large)
    fill(worker)
    #expect(worker.untilTimer == 60_000)
    worker.advanceClock(by: 59_999)
    worker.streams[0].publish("more")
    worker.takeTurn()
    #expect(worker.untilTimer == 1)
    #expect(worker.streams[0].closings == 0)
    worker.advanceClock()
    worker.takeTurn()
    #expect(worker.streams.map(\.closings) == [1, 0])
    #expect(worker.overdue == 1)
    #expect(worker.untilTimer == -1)
  }

  @Test func `a client that reads begins the time again`() throws {
    let worker = try worker(streams: 1)
    worker.streams[0].publish(large)
    fill(worker)
    for _ in 1...3 {
      worker.advanceClock(by: 59_999)
      #expect(worker.receivedSizes()[0] > 0)
      worker.handleEvents()
      fill(worker)
      #expect(worker.untilTimer == 60_000)
      #expect(worker.streams[0].closings == 0)
    }
  }

  @Test func `a client that reads so slowly that its socket reports no room has its stream`() throws
  {
    let worker = try worker(streams: 1)
    worker.streams[0].publish(large)
    fill(worker)
    for _ in 1...3 {
      #expect(worker.receive(OutboundBytes.share, of: 0))
      worker.advanceClock(by: 60_000)
      worker.takeTurn()
      fill(worker)
      #expect(worker.streams[0].closings == 0)
      #expect(worker.untilTimer == 60_000)
    }
    worker.advanceClock(by: 60_000)
    worker.takeTurn()
    #expect(worker.streams[0].closings == 1)
  }

  @Test func `a client that has read everything has no time limit`() throws {
    let worker = try worker(streams: 1)
    worker.streams[0].publish(large)
    for _ in 0..<200 {
      fill(worker)
      _ = worker.receivedSizes()
      worker.handleEvents()
    }
    #expect(worker.untilTimer == -1)
    worker.advanceClock(by: 600_000)
    worker.takeTurn()
    #expect(worker.streams[0].closings == 0)
  }

  @Test func `without a limit a stalled stream remains`() throws {
    let worker = try worker(streams: 1, stall: .zero)
    worker.streams[0].publish(large)
    fill(worker)
    #expect(worker.untilTimer == -1)
    worker.advanceClock(by: 600_000)
    worker.takeTurn()
    #expect(worker.streams[0].closings == 0)
  }
}
