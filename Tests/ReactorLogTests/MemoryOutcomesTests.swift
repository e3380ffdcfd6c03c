import Testing

@testable import ReactorLog

/// What a session in memory keeps for idempotency keys.
@Suite struct KeptOutcomesTests {
  private func outcome(_ number: Int, at milliseconds: Int64) -> KeptOutcome {
    KeptOutcome(
      key: IdempotencyKey("key-\(number)", for: []), at: Timestamp(milliseconds: milliseconds),
      version: number, failure: nil)
  }

  @Test func `what was kept for its time is forgotten with the next`() {
    var kept = KeptOutcomes()
    for number in 0..<1000 {
      kept.keep(outcome(number, at: Int64(number) * 10), forgettingAfter: 100)
    }
    #expect(kept.count == 10)
    #expect(kept["key-989"] == nil)
    #expect(kept["key-990"]?.version == 990)
    #expect(kept["key-999"]?.version == 999)
  }

  @Test func `of too many the oldest is forgotten`() {
    var kept = KeptOutcomes()
    for number in 0...KeptOutcomes.bound {
      kept.keep(outcome(number, at: 0), forgettingAfter: 100)
    }
    #expect(kept.count == KeptOutcomes.bound)
    #expect(kept["key-0"] == nil)
    #expect(kept["key-1"] != nil)
  }

  @Test func `what is kept anew counts from then`() {
    var kept = KeptOutcomes()
    kept.keep(outcome(1, at: 0), forgettingAfter: 100)
    kept.keep(outcome(1, at: 90), forgettingAfter: 100)
    kept.keep(outcome(2, at: 150), forgettingAfter: 100)
    #expect(kept["key-1"] != nil)
    kept.keep(outcome(3, at: 200), forgettingAfter: 100)
    #expect(kept["key-1"] == nil)
    #expect(kept.count == 2)
  }
}
