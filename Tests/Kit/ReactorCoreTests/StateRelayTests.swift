import ReactorCore
import ReactorStreams
import Testing

struct StateRelayTests {
  @Test func `two relays can be combined`() {
    let (first, second) = (StateRelay(value: 1), StateRelay(value: 2))
    let sums = Observation(
      .combineLatest(first.asObservable(), second.asObservable()) { $0 + $1 })
    first.value = 5
    second.accept(9)
    sums.stop()
    first.value = 10
    #expect(sums.elements == [3, 7, 14])
    #expect(first.value == 10)
  }

  @Test func `a replaced relay does not complete`() {
    var relay = StateRelay(value: 1)
    let seen = Observation(relay.asObservable())
    relay = StateRelay(value: 2)
    #expect(relay.value == 2)
    #expect(seen.elements == [1])
    #expect(seen.ends.isEmpty)
  }
}
