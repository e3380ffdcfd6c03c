import ReactorCore
import ReactorStreams
import Testing

struct InitialStateTests {
  /// Its initial state is another one whenever it is read.
  private final class FreshReactor: Reactor {
    typealias Action = Int

    let reads = Recorder<Void>()

    var initialState: Int {
      reads.add(())
      return reads.values.count * 100
    }

    func reduce(state: Int, mutation: Int) -> Int { state + mutation }
  }

  @Test func `it is read once`() {
    let reactor = FreshReactor()
    let states = Observation(reactor.state)
    reactor.action.onNext(1)
    #expect(reactor.currentState == 101)
    #expect(states.elements == [100, 101])
    #expect(reactor.reads.values.count == 1)
  }

  @Test func `it is read once where currentState comes first`() {
    let reactor = FreshReactor()
    #expect(reactor.currentState == 100)
    #expect(reactor.currentState == 100)
    let states = Observation(reactor.state)
    reactor.action.onNext(1)
    #expect(states.elements == [100, 101])
    #expect(reactor.reads.values.count == 1)
  }

  @Test func `reading currentState does not connect the streams`() {
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

  @Test func `each transform is asked once, however often the streams are touched`() {
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

  @Test func `reading the reactor's streams within a transform does not recurse`() {
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

  @Test func `what is merged in at once comes after the initial state`() {
    let reactor = ScriptedReactor()
    reactor.transformingMutations = { .merge($0, .of("merged", "too")) }
    let states = Observation(reactor.state)
    #expect(states.elements == [["merged", "too"]])
    #expect(reactor.currentState == ["merged", "too"])
  }
}
