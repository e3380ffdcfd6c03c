import ReactorCore
import ReactorStreams
import Testing

struct InitialStateTests {
  /// A reactor whose initial state differs with each access.
  private final class FreshReactor: Reactor {
    typealias Action = Int

    let reads = Recorder<Void>()

    var initialState: Int {
      reads.add(())
      return reads.values.count * 100
    }

    func reduce(state: Int, mutation: Int) -> Int { state + mutation }
  }

  @Test func `the initial state is read once`() {
    let reactor = FreshReactor()
    let states = Observation(reactor.state)
    reactor.action.onNext(1)
    #expect(reactor.currentState == 101)
    #expect(states.elements == [100, 101])
    #expect(reactor.reads.values.count == 1)
  }

  @Test func `the initial state is read once if currentState is read first`() {
    let reactor = FreshReactor()
    #expect(reactor.currentState == 100)
    #expect(reactor.currentState == 100)
    let states = Observation(reactor.state)
    reactor.action.onNext(1)
    #expect(states.elements == [100, 101])
    #expect(reactor.reads.values.count == 1)
  }

  @Test func `currentState does not connect the streams`() {
    let reactor = ScriptedReactor(["first"])
    let asked = Recorder<String>()
    reactor.transformingActions = {
      asked.add("action")
      return $0
    }
    #expect(reactor.currentState == ["first"])
    #expect(asked.values.isEmpty)
    _ = reactor.action
    #expect(asked.values == ["action"])
  }

  @Test func `each transform is called once`() {
    let reactor = ScriptedReactor()
    let asked = Recorder<String>()
    reactor.transformingActions = {
      asked.add("action")
      return $0
    }
    reactor.transformingMutations = {
      asked.add("mutation")
      return $0
    }
    reactor.transformingStates = {
      asked.add("state")
      return $0
    }
    for action in ["a", "b"] {
      _ = reactor.state
      reactor.action.onNext(action)
    }
    #expect(asked.values == ["action", "mutation", "state"])
  }

  @Test func `a transform can access the reactor's streams`() {
    let reactor = ScriptedReactor(["first"])
    let seen = Recorder<[String]>()
    let actions = Recorder<String>()
    let bag = DisposeBag()
    reactor.transformingActions = { [unowned reactor] stream in
      reactor.action.subscribe(onNext: { actions.add($0) }).disposed(by: bag)
      reactor.state.subscribe(onNext: { seen.add($0) }).disposed(by: bag)
      return stream
    }
    reactor.transformingMutations = { [unowned reactor] stream in
      seen.add(reactor.currentState + ["within"])
      _ = reactor.state
      return stream
    }
    reactor.transformingStates = { [unowned reactor] stream in
      _ = reactor.action
      return stream
    }
    reactor.action.onNext("a")
    #expect(seen.values == [["first", "within"], ["first"], ["first", "a"]])
    #expect(actions.values == ["a"])
  }

  @Test func `a stream that emits at once emits after the initial state`() {
    let reactor = ScriptedReactor()
    reactor.transformingMutations = { .merge($0, .of("merged", "too")) }
    let states = Observation(reactor.state)
    #expect(states.elements == [["merged", "too"]])
    #expect(reactor.currentState == ["merged", "too"])
  }
}
