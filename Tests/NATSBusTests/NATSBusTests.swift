import Brokers
import NATSBus
import NATSClient
import ReactorCluster
import ReactorLog
import Synchronization
import Testing

@Suite(.serialized) struct NATSBusTests {
  /// Records messages, and replies to requests with their bytes reversed.
  private final class Handler: BusHandler {
    let messages: AsyncStream<[UInt8]>
    private let continuation: AsyncStream<[UInt8]>.Continuation

    init() {
      (messages, continuation) = AsyncStream.makeStream()
    }

    func didReceive(request bytes: [UInt8], reply: @escaping @Sendable ([UInt8]) -> Void) {
      // A request without bytes gets no reply.
      if !bytes.isEmpty { reply(bytes.reversed()) }
    }

    func didReceive(message bytes: [UInt8]) { continuation.yield(bytes) }

    func didLose(_ node: NodeID) {}
  }

  private func bus(_ broker: Broker, _ node: NodeID) throws -> NATSBus {
    let addresses = try #require(NATSAddresses(broker.url))
    return try NATSBus(
      try NATSConnection(.init(addresses, name: node.name)), prefix: "test",
      incarnation: node.incarnation, quorum: { true })
  }

  private func request(
    _ bytes: [UInt8], to node: NodeID, over bus: NATSBus, within time: Duration = .seconds(600)
  ) async -> Result<[UInt8], BusError> {
    await withCheckedContinuation { continuation in
      bus.request(bytes, to: node, within: time) { continuation.resume(returning: $0) }
    }
  }

  private let one = NodeID(name: "one.example", incarnation: 1)
  private let two = NodeID(name: "two", incarnation: 2)

  @Test func `a request gets the reply of its node`() async throws {
    let broker = try Broker(Broker.patience, hasJetStream: false)
    let (first, second) = (try bus(broker, one), try bus(broker, two))
    first.join(as: one, Handler())
    second.join(as: two, Handler())
    #expect(await request([1, 2, 3], to: two, over: first) == .success([3, 2, 1]))
    #expect(await request([4, 5], to: one, over: second) == .success([5, 4]))
    #expect(
      await request([], to: two, over: first, within: .milliseconds(50)) == .failure(.timedOut))
    #expect(first.hasQuorum)
  }

  @Test func `a node that is gone is reported at once`() async throws {
    let broker = try Broker(Broker.patience, hasJetStream: false)
    let (first, second) = (try bus(broker, one), try bus(broker, two))
    #expect(await request([1], to: two, over: first) == .failure(.noSuchNode))
    second.join(as: two, Handler())
    #expect(await request([1], to: two, over: first) == .success([1]))
    let next = NodeID(name: "two", incarnation: 3)
    #expect(await request([1], to: next, over: first) == .failure(.noSuchNode))
    second.join(as: next, Handler())
    #expect(await request([1], to: next, over: first) == .success([1]))
    #expect(await request([1], to: two, over: first) == .failure(.noSuchNode))
    second.leave()
    #expect(await request([1], to: next, over: first) == .failure(.noSuchNode))
  }

  @Test func `each of many requests gets its reply, or the report that its node is gone`()
    async throws
  {
    let broker = try Broker(Broker.patience, hasJetStream: false)
    let (first, second) = (try bus(broker, one), try bus(broker, two))
    first.join(as: one, Handler())
    second.join(as: two, Handler())
    let gone = NodeID(name: "two", incarnation: 3)
    await withTaskGroup(of: Bool.self) { group in
      for number in 1...2_000 as ClosedRange<Int> {
        let bytes = Array("\(number)".utf8)
        group.addTask {
          await request(bytes, to: two, over: first) == .success(bytes.reversed())
        }
        group.addTask { await request(bytes, to: gone, over: first) == .failure(.noSuchNode) }
      }
      for await isExpected in group { #expect(isExpected) }
    }
  }

  @Test func `messages of a lane arrive in order, broadcasts at all other nodes`() async throws {
    let broker = try Broker(Broker.patience, hasJetStream: false)
    let (first, second) = (try bus(broker, one), try bus(broker, two))
    let (own, other) = (Handler(), Handler())
    first.join(as: one, own)
    second.join(as: two, other)
    for number in 0..<1000 { first.send(Array("\(number)".utf8), to: two, lane: 3) }
    var received = other.messages.makeAsyncIterator()
    for number in 0..<1000 { #expect(await received.next() == Array("\(number)".utf8)) }
    first.broadcast([1])
    #expect(await received.next() == [1])
    second.broadcast([2])
    // The first node does not receive its own broadcast, which was sent first.
    var receivedFirst = own.messages.makeAsyncIterator()
    #expect(await receivedFirst.next() == [2])
  }
}
