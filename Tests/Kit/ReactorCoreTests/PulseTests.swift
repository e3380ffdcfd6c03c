import ReactorCore
import ReactorStreams
import Testing

struct PulseTests {
  private struct Shown: Equatable, Sendable {
    @Pulse var alert: String?
    @Pulse var items: [Int] = []
    var count = 0
  }

  /// Applies an action to its state.
  private final class AlertReactor: Reactor {
    enum Action: Sendable {
      case count, alert(String?), alertTwice, append(Int), reset, resetAndAlert(String)
    }

    let initialState = Shown()

    func reduce(state: Shown, mutation: Action) -> Shown {
      var state = state
      switch mutation {
      case .count: state.count += 1
      case .alert(let text): state.alert = text
      case .alertTwice:
        state.alert = "t1"
        state.alert = "t2"
      case .append(let item): state.items.append(item)
      case .reset: state = initialState
      case .resetAndAlert(let text):
        state = initialState
        state.alert = text
      }
      return state
    }
  }

  @Test func `each assignment is counted, also of an equal value, and no access`() {
    @Pulse var value = 0
    #expect($value.valueUpdatedCount == 0)
    for (index, assigned) in [10, 20, 20, 20, 30, 30].enumerated() {
      value = assigned
      #expect(value == assigned)
      #expect($value.value == assigned)
      #expect($value.valueUpdatedCount == UInt(index) + 1)
    }
  }

  @Test func `the count wraps around to 0`() {
    var pulse = Pulse(wrappedValue: 0)
    pulse.valueUpdatedCount = .max
    pulse.wrappedValue = 1
    #expect(pulse.valueUpdatedCount == 0)
    pulse.value = 2
    #expect(pulse.valueUpdatedCount == 1)
  }

  @Test func `a pulse is emitted with each assignment and not with other changes`() {
    let reactor = AlertReactor()
    let alerts = Observation(reactor.pulse(\.$alert))
    let items = Observation(reactor.pulse(\.$items))
    for action in [AlertReactor.Action.count, .alert("a"), .alert("a"), .count, .alert(nil)] {
      reactor.action.onNext(action)
    }
    reactor.action.onNext(.append(1))
    #expect(alerts.elements == [nil, "a", "a", nil])
    #expect(items.elements == [[], [1]])
  }

  @Test func `two assignments of one mutation are emitted once`() {
    let reactor = AlertReactor()
    let alerts = Observation(reactor.pulse(\.$alert))
    reactor.action.onNext(.alertTwice)
    #expect(alerts.elements == [nil, "t2"])
  }

  @Test func `an assignment after a reset of the state is emitted`() {
    let reactor = AlertReactor()
    let alerts = Observation(reactor.pulse(\.$alert))
    reactor.action.onNext(.alert("a"))
    reactor.action.onNext(.resetAndAlert("b"))
    reactor.action.onNext(.resetAndAlert("b"))
    #expect(reactor.currentState.$alert.valueUpdatedCount == 1)
    #expect(alerts.elements == [nil, "a", "b", "b"])
  }

  @Test func `a reset of the state emits the initial value`() {
    let reactor = AlertReactor()
    let alerts = Observation(reactor.pulse(\.$alert))
    let items = Observation(reactor.pulse(\.$items))
    reactor.action.onNext(.alert("a"))
    reactor.action.onNext(.reset)
    reactor.action.onNext(.reset)
    #expect(alerts.elements == [nil, "a", nil])
    #expect(items.elements == [[]])
  }

  @Test func `an error of the transform fails its own stream only`() {
    let reactor = AlertReactor()
    let broken = Observation(
      reactor.pulse { state in
        if state.count == 1 { throw Mishap() }
        return state.$alert
      })
    reactor.action.onNext(.count)
    reactor.action.onNext(.count)
    #expect(broken.ends == ["failed"])
    #expect(reactor.currentState.count == 2)
  }

  @Test func `equality and hash of a pulse are those of its value`() {
    var assigned = Pulse(wrappedValue: 1)
    assigned.wrappedValue = 2
    #expect(assigned == Pulse(wrappedValue: 2))
    #expect(assigned != Pulse(wrappedValue: 1))
    #expect(assigned.hashValue == Pulse(wrappedValue: 2).hashValue)
  }
}
