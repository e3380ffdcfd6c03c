internal import Shares
internal import Testing

@testable internal import MicrohttpdServer

struct SentBodiesTests {
  private let ledger = Ledger()
  private let clients = ClientBytes()

  @Test func `the client with the most bytes is found`() {
    #expect(clients.largest == nil)
    clients.add(700, of: 2)
    for _ in 0..<8 { clients.add(100, of: 3) }
    #expect(clients.largest == 3)
    clients.add(-200, of: 3)
    #expect(clients.largest == 2)
  }

  @Test func `a body counts once while it is sent, and each copy counts`() {
    var bodies = SentBodies(ledger, clients)
    let shared = SentBodies.Body(address: 64, size: 100_000, client: 1)
    let copy = SentBodies.Body(address: 0, size: 20_000, client: 1)
    var used: [Int] = []
    for body in [shared, shared, copy, copy] {
      bodies.add(body)
      used.append(ledger.used(.responses))
    }
    #expect(bodies.weight(of: shared) == 50_000 && bodies.weight(of: copy) == 20_000)
    for body in [shared, copy, copy, shared] {
      bodies.remove(body)
      used.append(ledger.used(.responses))
    }
    #expect(
      used == [100_000, 100_000, 120_000, 140_000, 140_000, 120_000, 100_000, 0])
    #expect(clients.largest == nil)
  }

  @Test func `a shared body counts for a client that still sends it`() {
    var bodies = SentBodies(ledger, clients)
    let body = { SentBodies.Body(address: 64, size: 100_000, client: $0) }
    bodies.add(body(1))
    bodies.add(body(2))
    bodies.add(body(2))
    #expect(clients.largest == 1)
    bodies.remove(body(1))
    #expect(clients.largest == 2)
    bodies.remove(body(2))
    #expect(clients.largest == 2)
    bodies.remove(body(2))
    #expect(clients.largest == nil && ledger.used(.responses) == 0)
  }
}
