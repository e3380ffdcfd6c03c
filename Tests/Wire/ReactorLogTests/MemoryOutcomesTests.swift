import Testing

@testable import ReactorLog

/// The outcomes of idempotency keys in memory.
@Suite struct MemoryOutcomesTests {
  private func outcome(_ number: Int, at milliseconds: Int64) -> StoredOutcome {
    StoredOutcome(
      key: IdempotencyKey("key-\(number)", for: []), at: Timestamp(milliseconds: milliseconds),
      version: number, failure: nil)
  }

  @Test func `expired outcomes are deleted with the next insertion`() {
    var outcomes = MemoryOutcomes()
    for number in 0..<1000 {
      outcomes.insert(outcome(number, at: Int64(number) * 10), forgettingAfter: 100)
    }
    #expect(outcomes.count == 10)
    #expect(outcomes["key-989"] == nil)
    #expect(outcomes["key-990"]?.version == 990)
    #expect(outcomes["key-999"]?.version == 999)
  }

  @Test func `the oldest outcome is deleted at the bound`() {
    var outcomes = MemoryOutcomes()
    for number in 0...MemoryOutcomes.bound {
      outcomes.insert(outcome(number, at: 0), forgettingAfter: 100)
    }
    #expect(outcomes.count == MemoryOutcomes.bound)
    #expect(outcomes["key-0"] == nil)
    #expect(outcomes["key-1"] != nil)
  }

  @Test func `an outcome that is inserted again expires later`() {
    var outcomes = MemoryOutcomes()
    outcomes.insert(outcome(1, at: 0), forgettingAfter: 100)
    outcomes.insert(outcome(1, at: 90), forgettingAfter: 100)
    outcomes.insert(outcome(2, at: 150), forgettingAfter: 100)
    #expect(outcomes["key-1"] != nil)
    outcomes.insert(outcome(3, at: 200), forgettingAfter: 100)
    #expect(outcomes["key-1"] == nil)
    #expect(outcomes.count == 2)
  }

  @Test func `outcomes are found while others are inserted and deleted`() {
    var outcomes = MemoryOutcomes()
    for number in 0..<5000 {
      outcomes.insert(outcome(number, at: Int64(number)), forgettingAfter: 700)
      // A second outcome of a key does not move the first one.
      if number > 10 {
        outcomes.insert(outcome(number - 10, at: Int64(number)), forgettingAfter: 700)
      }
      guard number % 97 == 0, number > 1000 else { continue }
      for known in (number - 600)...number { #expect(outcomes["key-\(known)"]?.version == known) }
      #expect(outcomes["key-\(number - 900)"] == nil)
      #expect(outcomes["key-\(number + 1)"] == nil)
    }
    #expect(outcomes.count < 750)
  }
}
