import Testing

@testable import Shares

/// The ledger as a state machine with generated requests, beside a model that lists what each client holds.
struct LedgerTests {
  private static let seeds = 0..<200

  /// A generator with a seed, so that a failure can be repeated.
  private struct Generator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var value = state
      value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
      value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
      return value ^ (value >> 31)
    }
  }

  private static func client(_ index: Int) -> Client { .network(high: 0, low: UInt64(index)) }

  @Test(
    "every rejection is one of a large client, and every count is that of the model",
    arguments: seeds
  )
  func model(seed: Int) {
    var random = Generator(state: UInt64(seed))
    let capacity = Int.random(in: 1...200, using: &random)
    let clients = Int.random(in: 1...20, using: &random)
    let ledger = Ledger()
    let accounts = (0..<clients).map { ledger.account(of: Self.client($0)) }
    var held = [Int](repeating: 0, count: clients)
    for _ in 0..<2_000 {
      // The first client requests most.
      let index = Bool.random(using: &random) ? 0 : Int.random(in: 0..<clients, using: &random)
      if held[index] > 0, Int.random(in: 0..<4, using: &random) == 0 {
        accounts[index].release(.effects)
        held[index] -= 1
        continue
      }
      let used = held.reduce(0, +)
      let isGranted = accounts[index].acquire(.effects, of: capacity)
      if isGranted { held[index] += 1 }
      #expect(isGranted || used >= capacity / 2, "rejected although half of the places are free")
      if used < capacity, held[index] == 0 { #expect(isGranted, "a new client has no place") }
      if !isGranted, held[index] > 0 {
        for (other, count) in held.enumerated() where count >= held[index] {
          // A client that has as many or more is rejected as well.
          #expect(
            !ShareRule.admits(held: count + 1, used: used + 1, of: capacity),
            "client \(other) would get more")
        }
      }
      #expect(ledger.used(.effects) == held.reduce(0, +))
      #expect(accounts[index].held(.effects) == held[index])
      #expect(ledger.used(.effects) <= capacity)
    }
  }

  @Test("others are never rejected beside one client that requests without end")
  func oneAttacker() {
    for capacity in [4, 10, 100, 10_000] {
      let ledger = Ledger()
      let attacker = ledger.account(of: .principal("attacker"))
      for _ in 0..<capacity * 2 { _ = attacker.acquire(.sessions, of: capacity) }
      #expect(attacker.held(.sessions) == capacity / 2)
      for index in 0..<capacity / 4 {
        #expect(ledger.account(of: Self.client(index)).acquire(.sessions, of: capacity))
        _ = attacker.acquire(.sessions, of: capacity)
      }
    }
  }

  @Test("a new client gets a place beside many greedy ones")
  func manyAttackers() {
    let ledger = Ledger()
    var accounts: [Account] = []
    for index in 0..<600 {
      let account = ledger.account(of: Self.client(index))
      #expect(account.acquire(.connections, of: 10_000))
      while account.acquire(.connections, of: 10_000) {}
      accounts.append(account)
    }
  }

  @Test("bytes are shared like places, and each client gets those of one body")
  func bytes() {
    let ledger = Ledger()
    let attacker = ledger.account(of: .local)
    for _ in 0..<260 { _ = attacker.acquire(.bodies, 1 << 20, of: 256 << 20, first: 1 << 20) }
    #expect(attacker.held(.bodies) == 128 << 20)
    let other = ledger.account(of: .principal("ada"))
    #expect(other.acquire(.bodies, 1 << 20, of: 256 << 20, first: 1 << 20))
  }

  @Test("beyond the bound of bytes the tables with more than an equal part release some, no others")
  func memory() {
    let ledger = Ledger(memory: 500)
    ledger.take(.events, 90, for: nil)
    ledger.take(.histories, 110, for: nil)
    ledger.take(.states, 300, for: ledger.account(of: .local))
    let tables = [Ledger.Table.events, .histories, .responses, .states, .views]
    #expect(tables.filter { ledger.mustRelease($0) } == [])
    ledger.take(.responses, 1, for: nil)
    #expect(tables.filter { ledger.mustRelease($0) } == [.histories, .states])
    ledger.release(.histories, 1, of: nil)
    #expect(tables.filter { ledger.mustRelease($0) } == [])
    // Tables of places do not count.
    ledger.take(.bodies, 1_000, for: nil)
    #expect(!ledger.mustRelease(.states) && !ledger.mustRelease(.bodies))
  }

  @Test("an account is the same one while it is retained, and is forgotten afterwards")
  func accounts() {
    let ledger = Ledger()
    var account: Account? = ledger.account(of: .principal("ada"))
    #expect(ledger.account(of: .principal("ada")) === account)
    #expect(ledger.clientCount == 1)
    account = nil
    // The ledger retains the accounts that were created last.
    for index in 0..<Ledger.recentCount { _ = ledger.account(of: Self.client(index)) }
    #expect(ledger.clientCount == Ledger.recentCount)
  }

  @Test("places of no client are limited by the capacity only")
  func service() {
    let ledger = Ledger()
    for _ in 0..<10 { #expect(ledger.acquire(.effects, of: 10, for: nil)) }
    #expect(!ledger.acquire(.effects, of: 10, for: nil))
    ledger.release(.effects, of: nil)
    #expect(ledger.acquire(.effects, of: 10, for: nil))
  }
}
