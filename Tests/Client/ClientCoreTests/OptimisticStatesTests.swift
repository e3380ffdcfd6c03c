import Testing

@testable import ClientCore

struct OptimisticStatesTests {
  private func shown(_ states: OptimisticStates<Int>) -> Int {
    states.layers.changes.reduce(states.layers.base) { $1($0) }
  }

  private func at(_ version: Int) -> SessionCursor { SessionCursor(epoch: "k", version: version) }

  private func states() -> OptimisticStates<Int> {
    var states = OptimisticStates(0)
    states.confirm(10, at: at(1), now: .zero)
    return states
  }

  @Test func `an expected change is shown at once and replaced by the committed State`() {
    var states = states()
    states.expect(1) { $0 + 5 }
    states.sent(1)
    #expect(shown(states) == 15)
    // The State of the action arrives before its response: the expected change is not applied
    // twice.
    states.confirm(15, at: at(2), now: .zero)
    #expect(shown(states) == 15)
    states.answered(1, at: at(2), now: .zero)
    #expect(shown(states) == 15)
    #expect(!states.isOptimistic)
  }

  @Test func `the response may arrive before the State`() {
    var states = states()
    states.expect(1) { $0 + 5 }
    states.sent(1)
    states.answered(1, at: at(2), now: .zero)
    #expect(shown(states) == 15)
    states.confirm(15, at: at(2), now: .zero)
    #expect(shown(states) == 15)
    #expect(!states.isOptimistic)
  }

  @Test func `an older State is shown only after a reset`() {
    var states = states()
    states.confirm(12, at: at(3), now: .zero)
    states.confirm(11, at: at(2), now: .zero)
    #expect(shown(states) == 12)
    states.confirm(11, at: at(2), isReset: true, now: .zero)
    #expect(shown(states) == 11)
  }

  @Test func `a rejected action is rolled back, and later ones stay`() {
    var states = states()
    states.expect(1) { $0 + 5 }
    states.expect(2) { $0 * 2 }
    states.sent(1)
    #expect(shown(states) == 30)
    states.answered(1, at: nil, now: .zero)
    #expect(shown(states) == 20)
  }

  @Test func `the State of another client is held back for a limited time`() {
    var states = states()
    states.expect(1) { $0 + 5 }
    states.sent(1)
    states.confirm(11, at: at(2), now: .zero)
    #expect(shown(states) == 15)
    #expect(states.deadline == OptimisticStates<Int>.longestHold)
    states.release(now: OptimisticStates<Int>.longestHold)
    #expect(shown(states) == 16)
  }

  @Test func `an action that was not sent delays no State`() {
    var states = states()
    states.expect(1) { $0 + 5 }
    states.confirm(11, at: at(2), now: .zero)
    #expect(shown(states) == 16)
  }

  @Test func `a new history drops the changes of the former one`() {
    var states = states()
    states.expect(1) { $0 + 5 }
    states.answered(1, at: at(2), now: .zero)
    states.confirm(0, at: SessionCursor(epoch: "new", version: 0), now: .zero)
    #expect(shown(states) == 0)
  }
}
