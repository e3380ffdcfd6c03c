import ReactorCore
import ReactorStreams
import Testing

struct StubTests {
  private func stubbed(_ initialState: [String] = []) -> ScriptedReactor {
    let reactor = ScriptedReactor(initialState)
    reactor.isStubEnabled = true
    return reactor
  }

  @Test func `the reactor's streams are the ones of its stub`() {
    let reactor = stubbed()
    #expect(reactor.action === reactor.stub.action)
    #expect(reactor.state === reactor.stub.state.asObservable())
  }

  @Test func `the stub records actions`() {
    let reactor = stubbed()
    let seen = Observation(reactor.action.asObservable())
    for action in ["start", "start", "stop"] { reactor.action.onNext(action) }
    reactor.action.onCompleted()
    #expect(reactor.stub.actions == ["start", "start", "stop"])
    #expect(seen.elements == ["start", "start", "stop"])
  }

  @Test func `the current state is the one of the stub`() {
    let reactor = stubbed()
    let states = Observation(reactor.state)
    for state in [["0"], ["1"], ["-10"], ["30"]] {
      reactor.stub.state.value = state
      #expect(reactor.currentState == state)
    }
    #expect(states.elements == [[], ["0"], ["1"], ["-10"], ["30"]])
  }

  @Test func `a stubbed reactor does not mutate or reduce`() {
    let reactor = stubbed()
    let mutated = Recorder<String>()
    reactor.mutating = {
      mutated.add($0); return .just($0)
    }
    reactor.action.onNext("A")
    #expect(reactor.currentState == [])
    #expect(mutated.values.isEmpty)
    reactor.isStubEnabled = false
    #expect(reactor.currentState == [])
  }

  @Test func `a stub that is not enabled has no effect`() {
    let reactor = ScriptedReactor()
    let states = Observation(reactor.state)
    reactor.action.onNext("1")
    _ = reactor.stub.state.value
    #expect(reactor.stub.actions.isEmpty)
    reactor.stub.state.value = ["set"]
    #expect(reactor.currentState == ["1"])
    reactor.action.onNext("2")
    #expect(reactor.currentState == ["1", "2"])
    #expect(states.elements == [[], ["1"], ["1", "2"]])
  }

  @Test func `earlier subscriptions remain, and the pipeline continues from its own state`() {
    let reactor = ScriptedReactor()
    let states = Observation(reactor.state)
    let action = reactor.action
    reactor.action.onNext("1")
    reactor.stub.isEnabled = true
    #expect(reactor.isStubEnabled)
    reactor.action.onNext("stubbed")
    action.onNext("2")
    reactor.stub.isEnabled = false
    reactor.action.onNext("3")
    #expect(states.elements == [[], ["1"], ["1", "2"], ["1", "2", "3"]])
    #expect(reactor.stub.actions == ["stubbed"])
  }

  @Test func `a stub is released with its reactor`() {
    weak var reactor: ScriptedReactor?
    weak var state: StateRelay<[String]>?
    do {
      let made = stubbed()
      (reactor, state) = (made, made.stub.state)
      #expect(reactor != nil && state != nil)
    }
    #expect(reactor == nil)
    #expect(state == nil)
  }
}
