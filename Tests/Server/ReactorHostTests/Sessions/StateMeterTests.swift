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

  private func skips(_ meter: borrowing StateMeter, bytes: Int = 1, depth: Int = 1) -> Bool {
    meter.skips(mutationBytes: bytes, mutationDepth: depth, limit: 1000)
  }

  @Test func `states are skipped only as long as doubling cannot exceed the limit`() {
    let meter = StateMeter()
    var skipped = [skips(meter)]
    _ = meter.measure(state, depth: 1, limit: 1000)
    for _ in 0..<5 { skipped.append(skips(meter)) }
    #expect(skipped == [false, true, true, true, false, false])
    _ = meter.measure(state, depth: 1, limit: 1000)
    meter.endTurn()
    let skipsInNextTurn = skips(meter)
    #expect(!skipsInNextTurn)
  }

  @Test func `the state after a large mutation is measured`() {
    let meter = StateMeter()
    _ = meter.measure(state, depth: 1, limit: 1000)
    let skipped = [401, 400, 1].map { skips(meter, bytes: $0) }
    #expect(skipped == [false, true, false])
  }

  @Test func `states are skipped only as long as the depth is within the limit`() {
    let meter = StateMeter()
    _ = meter.measure(state, depth: 10, limit: 1000)
    // 10 + 240 + 8, then 240 + 8 more.
    let skipped = [240, 240, 1].map { skips(meter, depth: $0) }
    #expect(skipped == [true, false, true])
    _ = meter.measure(state, depth: 492, limit: 1000)
    let isSkipped = [1, 0].map { skips(meter, depth: $0) }
    #expect(isSkipped == [false, true])
  }

  @Test func `no state is skipped while there is an observer`() {
    let meter = StateMeter()
    _ = meter.measure(state, depth: 1, limit: 1000)
    let skipped = [true, false].map { isObserved in
      meter.setObserved(isObserved)
      return skips(meter)
    }
    #expect(skipped == [false, true])
  }
}
