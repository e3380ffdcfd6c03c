import Synchronization
import Testing

@testable import NATSBus

/// The messages of one process to another, without a broker.
struct OutboxTests {
  /// Collects the packets of an outbox.
  private final class Wire: Sendable {
    let packets = Mutex<[[UInt64]]>([])
    let thread: OutboxThread

    init() throws { thread = try #require(OutboxThread()) }

    deinit { thread.close() }

    var outbox: Outbox {
      Outbox(thread) { [weak self] packet in self?.packets.withLock { $0.append(packet.numbers) } }
    }

    func wait(for count: Int) async {
      while packets.withLock({ $0.joined().count }) < count { await Task.yield() }
    }
  }

  @Test func `a single request is sent on the calling thread`() throws {
    let wire = try Wire()
    let outbox = wire.outbox
    for number in 1...3 as ClosedRange<UInt64> {
      outbox.begin()
      outbox.send([1], numbered: number)
      #expect(wire.packets.withLock { $0 } == (1...number).map { [$0] })
      outbox.end()
      #expect(outbox.isIdle)
    }
  }

  @Test func `requests beside several others share messages, in order`() async throws {
    let wire = try Wire()
    let outbox = wire.outbox
    for _ in 0..<4 { outbox.begin() }
    for number in 1...1_000 as ClosedRange<UInt64> { outbox.send([], numbered: number) }
    #expect(!outbox.isIdle)
    await wire.wait(for: 1_000)
    #expect(wire.packets.withLock { Array($0.joined()) } == Array(1...1_000))
  }

  @Test func `a packet is bounded, but for one that exceeds the bound alone`() async throws {
    let wire = try Wire()
    let outbox = wire.outbox
    for _ in 0..<4 { outbox.begin() }
    let large = [UInt8](repeating: 7, count: BusPacket.bound)
    outbox.send([1], numbered: 1)
    outbox.send(large, numbered: 2)
    outbox.send([2], numbered: 3)
    await wire.wait(for: 3)
    #expect(wire.packets.withLock { !$0.contains([1, 2]) && !$0.contains([2, 3]) })
  }

  @Test func `a request that nothing replies to is not open for ever`() throws {
    let wire = try Wire()
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
    // Part of a packet, or no packet.
    for end in packet.bytes.indices {
      let part = BusPacket.contents(of: Array(packet.bytes[..<end]))
      #expect(part.count < 3 && zip(part, contents).allSatisfy { $0 == $1 })
    }
  }
}
