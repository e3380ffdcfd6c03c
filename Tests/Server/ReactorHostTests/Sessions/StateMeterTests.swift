import Testing

@testable import ReactorHost

struct StateMeterTests {
  private let state = [UInt8](repeating: 0, count: 100)

  @Test func `a state within the limit is measured, and a larger one is rejected`() {
    let meter = StateMeter()
    let errors = [100, 99].map { meter.measure(state, depth: 1, limit: $0) }
    #expect(errors.map { $0 is StateTooLargeError } == [false, true])
    var bytes = [meter.turnBytes]
    meter.endTurn()
    bytes.append(meter.turnBytes)
    #expect(bytes == [100, 0])
  }

  @Test func `states are skipped only as long as doubling cannot exceed the limit`() {
    let meter = StateMeter()
    var skipped = [meter.skips(mutationDepth: 1)]
    _ = meter.measure(state, depth: 1, limit: 1000)
    for _ in 0..<5 { skipped.append(meter.skips(mutationDepth: 1)) }
    #expect(skipped == [false, true, true, true, false, false])
    _ = meter.measure(state, depth: 1, limit: 1000)
    meter.endTurn()
    let skipsInNextTurn = meter.skips(mutationDepth: 1)
    #expect(!skipsInNextTurn)
  }

  @Test func `states are skipped only as long as the depth is within the limit`() {
    let meter = StateMeter()
    _ = meter.measure(state, depth: 10, limit: 100_000)
    // 10 + 240 + 8, then 240 + 8 more.
    let skipped = [240, 240, 1].map { meter.skips(mutationDepth: $0) }
    #expect(skipped == [true, false, true])
    _ = meter.measure(state, depth: 492, limit: 100_000)
    let isSkipped = [1, 0].map { meter.skips(mutationDepth: $0) }
    #expect(isSkipped == [false, true])
  }

  @Test func `no state is skipped while there is an observer`() {
    let meter = StateMeter()
    _ = meter.measure(state, depth: 1, limit: 1000)
    let skipped = [true, false].map { isObserved in
      meter.setObserved(isObserved)
      return meter.skips(mutationDepth: 1)
    }
    #expect(skipped == [false, true])
  }
}
