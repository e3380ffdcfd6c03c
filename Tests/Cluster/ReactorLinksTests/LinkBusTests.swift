import ReactorCluster
import ReactorLinks
import ReactorLog
import TestSupport
import Testing

@Suite struct LinkBusTests {
  private let one = NodeID(name: "one.example", incarnation: 1)
  private let two = NodeID(name: "two", incarnation: 2)

  @Test(arguments: ["127.0.0.1:0", "[::1]:0", "localhost:0"])
  func `a request gets the reply of its node`(address: String) async throws {
    let registry = Registry()
    let first = try makeBus(registry, at: address)
    let second = try makeBus(registry, at: address)
    first.join(as: one, Handler())
    second.join(as: two, Handler())
    #expect(await request([1, 2, 3], to: two, over: first) == .success([3, 2, 1]))
    #expect(await request([4, 5], to: one, over: second) == .success([5, 4]))
    #expect(
      await request([], to: two, over: first, within: .milliseconds(50)) == .failure(.timedOut))
    #expect(first.hasQuorum)
  }

  @Test func `a node that is gone is reported at once`() async throws {
    let registry = Registry()
    let (first, second) = (try makeBus(registry), try makeBus(registry))
    first.join(as: one, Handler())
    #expect(await request([1], to: two, over: first) == .failure(.noSuchNode))
    registry.set("\(second.address)", of: two)
    #expect(await request([1], to: two, over: first) == .failure(.noSuchNode))
    second.join(as: two, Handler())
    #expect(await request([1], to: two, over: first) == .success([1]))
    let next = NodeID(name: "two", incarnation: 3)
    registry.set("\(second.address)", of: next)
    #expect(await request([1], to: next, over: first) == .failure(.noSuchNode))
    second.join(as: next, Handler())
    #expect(await request([1], to: next, over: first) == .success([1]))
    #expect(await request([1], to: two, over: first) == .failure(.noSuchNode))
    second.leave()
    // It may be sent before the end of the connection arrives.
    let result = await request([1], to: next, over: first)
    #expect(result == .failure(.noSuchNode) || result == .failure(.timedOut))
    #expect(await request([1], to: next, over: first) == .failure(.noSuchNode))
  }

  @Test func `a host that does not exist is no node`() async throws {
    let registry = Registry()
    let first = try makeBus(registry)
    first.join(as: one, Handler())
    for address in ["missing.invalid:1", "127.0.0.1:1", "", "nonsense"] {
      registry.set(address, of: two)
      #expect(await request([1], to: two, over: first) == .failure(.noSuchNode), "\(address)")
    }
  }

  @Test func `each of many requests gets its reply, or the report that its node is gone`()
    async throws
  {
    let registry = Registry()
    let (first, second) = (try makeBus(registry), try makeBus(registry))
    first.join(as: one, Handler())
    second.join(as: two, Handler())
    let gone = NodeID(name: "two", incarnation: 3)
    registry.set("\(second.address)", of: gone)
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

  @Test func `100,000 messages of generated sizes arrive in order in each lane`() async throws {
    let registry = Registry()
    let (first, second) = (try makeBus(registry), try makeBus(registry))
    let handler = Handler()
    first.join(as: one, Handler())
    second.join(as: two, handler)
    var random = SplitMix64(seed: 1)
    var sent: [Int] = [0, 0, 0, 0]
    var received = handler.messages.makeAsyncIterator()
    var next: [Int] = [0, 0, 0, 0]
    // In parts, so that the bound of the queue is not reached.
    for _ in 0..<100 {
      for _ in 0..<1_000 {
        let lane = Int.random(in: 0..<4, using: &random)
        let size = [0, 10, 100, 1_000, 20_000][Int.random(in: 0..<100, using: &random) / 24]
        let head = [lane, sent[lane] >> 16, sent[lane] >> 8, sent[lane]]
        first.send(
          head.map { UInt8(truncatingIfNeeded: $0) } + [UInt8](repeating: 32, count: size),
          to: two, lane: lane)
        sent[lane] += 1
      }
      for _ in 0..<1_000 {
        let message = try #require(await received.next())
        let lane = Int(message[0])
        try #require(message[1..<4].reduce(0) { $0 << 8 | Int($1) } == next[lane])
        next[lane] += 1
      }
    }
    #expect(next == sent)
  }

  @Test func `large requests and replies arrive, and too large ones are not sent`() async throws {
    let registry = Registry()
    let (first, second) = (try makeBus(registry), try makeBus(registry))
    first.join(as: one, Handler())
    second.join(as: two, Handler())
    let bytes = (0..<8_000_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
    #expect(await request(bytes, to: two, over: first) == .success(bytes.reversed()))
    let tooLarge = [UInt8](repeating: 0, count: LinkBus.messageBound + 1)
    #expect(
      await request(tooLarge, to: two, over: first, within: .milliseconds(50))
        == .failure(.timedOut))
    #expect(await request([1], to: two, over: first) == .success([1]))
  }

  @Test func `a broadcast arrives at all other nodes, also before the directory has them`()
    async throws
  {
    let registry = Registry()
    let buses = try (0..<3).map { _ in try makeBus(registry) }
    let nodes = (0..<3).map { NodeID(name: "n\($0)", incarnation: UInt64($0)) }
    let handlers = nodes.map { _ in Handler() }
    for index in 0..<3 { buses[index].join(as: nodes[index], handlers[index]) }
    var received = handlers.map { $0.messages.makeAsyncIterator() }
    for index: UInt8 in 0..<3 { buses[Int(index)].broadcast([index]) }
    for index: UInt8 in 0..<3 {
      let found = [await received[Int(index)].next(), await received[Int(index)].next()]
      #expect(Set(found.compactMap { $0 }) == Set([0, 1, 2].filter { $0 != index }.map { [$0] }))
    }
    // The others reply to a node that only knows its own directory entry.
    registry.set(nil, of: nodes[0])
    buses[1].broadcast([9])
    #expect(await received[0].next() == [9])
  }

  @Test func `the messages before leaving arrive`() async throws {
    let registry = Registry()
    let (first, second) = (try makeBus(registry), try makeBus(registry))
    let handler = Handler()
    first.join(as: one, Handler())
    second.join(as: two, handler)
    #expect(await request([1], to: two, over: first) == .success([1]))
    for number: UInt8 in 0..<200 { first.send([number], to: two, lane: 0) }
    first.leave()
    var received = handler.messages.makeAsyncIterator()
    for number: UInt8 in 0..<200 { #expect(await received.next() == [number]) }
  }

  @Test func `a bus that ends is reported to the others, and the next incarnation is reached`()
    async throws
  {
    let registry = Registry()
    let first = try makeBus(registry)
    let handler = Handler()
    first.join(as: one, handler)
    var second: LinkBus? = try makeBus(registry)
    second?.join(as: two, Handler())
    #expect(await request([1], to: two, over: first) == .success([1]))
    let address = try #require(second?.address)
    second = nil
    var lost = handler.lost.makeAsyncIterator()
    #expect(await lost.next() == two)
    #expect(await request([1], to: two, over: first) == .failure(.noSuchNode))
    let next = NodeID(name: "two", incarnation: 3)
    let third = try makeBus(registry, at: "\(address)")
    third.join(as: next, Handler())
    #expect(await request([1], to: next, over: first) == .success([1]))
    // The next process has the address of the previous one.
    #expect(await request([1], to: two, over: first) == .failure(.noSuchNode))
  }

  @Test func `another secret or cluster is rejected`() async throws {
    let registry = Registry()
    let first = try makeBus(registry)
    first.join(as: one, Handler())
    let stranger = try makeBus(registry, secret: Array("another secret of them".utf8))
    stranger.join(as: two, Handler())
    let other = try makeBus(registry, cluster: "other")
    let three = NodeID(name: "three", incarnation: 3)
    other.join(as: three, Handler())
    for (bus, node) in [(first, two), (first, three), (stranger, one), (other, one)] {
      #expect(await request([1], to: node, over: bus) == .failure(.noSuchNode))
    }
  }

  @Test func `an address in use and a short secret are errors`() throws {
    let registry = Registry()
    let first = try makeBus(registry)
    #expect(throws: LinkError.self) { try makeBus(registry, at: "\(first.address)") }
    let error = #expect(throws: LinkError.self) {
      try makeBus(registry, secret: Array("short".utf8))
    }
    #expect(error?.description.contains("at least 16 bytes") == true)
    #expect(error?.description.contains("short") == false)
  }
}
