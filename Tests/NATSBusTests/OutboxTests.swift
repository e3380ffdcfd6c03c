import Synchronization
import Testing

@testable import NATSBus

/// The messages of one process to another, without a broker.
struct OutboxTests {
  /// Collects the packets of an outbox, and its pauses.
  private final class Wire: Sendable {
    let packets = Mutex<[[UInt64]]>([])
    let pauses = Mutex<[Duration]>([])

    /// An outbox whose scheduled publication is recorded and not executed.
    var outbox: Outbox {
      Outbox { [weak self] _, pause in
        self?.pauses.withLock { $0.append(pause) }
      } publish: { [weak self] packet in
        self?.packets.withLock { $0.append(packet.numbers) }
      }
    }

    /// Returns an outbox whose packets a thread publishes.
    func outbox(_ thread: OutboxThread) -> Outbox {
      Outbox(schedule: thread.schedule) { [weak self] packet in
        self?.packets.withLock { $0.append(packet.numbers) }
      }
    }

    func wait(for count: Int) async {
      while packets.withLock({ $0.joined().count }) < count { await Task.yield() }
    }
  }

  @Test func `a single request is sent on the calling thread`() {
    let wire = Wire()
    let outbox = wire.outbox
    for number in 1...3 as ClosedRange<UInt64> {
      outbox.begin()
      outbox.send([1], numbered: number)
      #expect(wire.packets.withLock { $0 } == (1...number).map { [$0] })
      outbox.end(since: .now)
      #expect(outbox.isIdle)
    }
    #expect(wire.pauses.withLock { $0.isEmpty })
  }

  @Test func `requests beside several others share messages, in order`() async throws {
    let wire = Wire()
    let thread = try #require(OutboxThread())
    defer { thread.close() }
    let outbox = wire.outbox(thread)
    for _ in 0..<4 { outbox.begin() }
    for number in 1...1_000 as ClosedRange<UInt64> { outbox.send([], numbered: number) }
    #expect(!outbox.isIdle)
    await wire.wait(for: 1_000)
    #expect(wire.packets.withLock { Array($0.joined()) } == Array(1...1_000))
  }

  @Test func `outboxes are published at their times, or when the thread ends`() async throws {
    let wire = Wire()
    let thread = try #require(OutboxThread())
    for (number, pause) in [(1, Duration.seconds(3_600)), (2, .zero), (3, .milliseconds(30))] {
      let outbox = wire.outbox
      for _ in 0..<4 { outbox.begin() }
      outbox.send([], numbered: UInt64(number))
      thread.schedule(outbox, after: pause)
      // Before the next pause, which may be over on a busy machine when the thread is executed.
      await wire.wait(for: number - 1)
    }
    #expect(wire.packets.withLock { $0 } == [[2], [3]])
    thread.close()
    await wire.wait(for: 3)
    #expect(wire.packets.withLock { $0 } == [[2], [3], [1]])
  }

  @Test func `the last reply does not wait`() {
    let wire = Wire()
    let outbox = wire.outbox
    let requests = (1...4 as ClosedRange<UInt64>).map { ReceivedRequest($0, repliesIn: outbox) }
    for request in requests.dropLast() { request.reply([]) }
    #expect(wire.packets.withLock { $0.isEmpty })
    #expect(wire.pauses.withLock { $0 } == [.milliseconds(1)])
    requests[3].reply([])
    #expect(wire.packets.withLock { $0 } == [[1, 2, 3, 4]])
    // The scheduled publication finds nothing to publish.
    outbox.publishScheduled()
    #expect(wire.packets.withLock { $0 } == [[1, 2, 3, 4]])
    #expect(outbox.isIdle)
  }

  @Test func `the pause is a quarter of the time that half of the requests take`() {
    var turnaround = Turnaround()
    #expect(turnaround.pause == .milliseconds(1))
    // Three of four requests take 40 ms, the fourth one has an effect of a minute.
    for number in 0..<400 { turnaround.add(number % 4 == 0 ? .seconds(60) : .milliseconds(40)) }
    #expect((7...14).contains(turnaround.pause / .milliseconds(1)))
    for _ in 0..<100 { turnaround.add(.seconds(60)) }
    #expect(turnaround.pause == .milliseconds(25))
    for _ in 0..<100 { turnaround.add(.microseconds(500)) }
    #expect(turnaround.pause == .milliseconds(1))
  }

  @Test func `requests of slow processes wait longer for each other`() {
    let wire = Wire()
    let outbox = wire.outbox
    for _ in 0..<100 { outbox.begin() }
    for _ in 0..<96 { outbox.end(since: .now - .seconds(1)) }
    outbox.send([], numbered: 1)
    #expect(wire.pauses.withLock { $0 } == [.milliseconds(25)])
  }

  @Test func `a packet is bounded, but for one that exceeds the bound alone`() {
    let wire = Wire()
    let outbox = wire.outbox
    for _ in 0..<4 { outbox.begin() }
    let large = [UInt8](repeating: 7, count: BusPacket.bound)
    outbox.send([1], numbered: 1)
    outbox.send(large, numbered: 2)
    outbox.send([2], numbered: 3)
    outbox.publishScheduled()
    #expect(wire.packets.withLock { $0 } == [[1], [2], [3]])
  }

  @Test func `a request that is released without a reply is not pending any more`() {
    let wire = Wire()
    let outbox = wire.outbox
    do {
      let first = ReceivedRequest(1, repliesIn: outbox)
      let second = ReceivedRequest(2, repliesIn: outbox)
      #expect(!outbox.isIdle)
      second.reply([])
      second.reply([])
      withExtendedLifetime(first) {}
    }
    #expect(outbox.isIdle)
    #expect(wire.packets.withLock { $0 } == [[2]])
  }

  @Test func `the contents of a packet are those that were added`() {
    var packet = BusPacket()
    packet.append([1, 2, 3], numbered: 5)
    packet.append([], numbered: .max)
    packet.append(Array(repeating: 9, count: 300), numbered: 1 << 40)
    let contents = BusPacket.contents(of: packet.bytes)
    #expect(contents.map(\.number) == [5, .max, 1 << 40])
    #expect(contents.map(\.bytes) == [[1, 2, 3], [], Array(repeating: 9, count: 300)])
    // A truncated packet yields only its complete contents.
    for end in packet.bytes.indices {
      let part = BusPacket.contents(of: Array(packet.bytes[..<end]))
      #expect(part.count < 3 && zip(part, contents).allSatisfy { $0 == $1 })
    }
  }
}
