import ReactorCore
import ReactorStreams
import Testing

/// The three transforms of a pipeline.
struct StagesTests {
  /// Each stage appends its name to the list that passes through it.
  private final class NamingReactor: Reactor {
    typealias Action = [String]
    typealias Mutation = [String]
    typealias State = [String]

    let initialState: [String] = []

    func transform(action: Observable<[String]>) -> Observable<[String]> {
      action.map { $0 + ["transformedAction"] }
    }

    func mutate(action: [String]) -> Observable<[String]> {
      .just(action + ["mutation"])
    }

    func transform(mutation: Observable<[String]>) -> Observable<[String]> {
      mutation.map { $0 + ["transformedMutation"] }
    }

    func reduce(state: [String], mutation: [String]) -> [String] {
      state + mutation + ["reduce"]
    }

    func transform(state: Observable<[String]>) -> Observable<[String]> {
      state.map { $0 + ["transformedState"] }
    }
  }

  private let all = [
    "action", "transformedAction", "mutation", "transformedMutation", "reduce", "transformedState",
  ]

  @Test func `each stage transforms its stream, and reduce gets the untransformed state`() {
    let reactor = NamingReactor()
    let states = Observation(reactor.state)
    reactor.action.onNext(["action"])
    #expect(states.elements == [["transformedState"], all])
  }

  @Test func `a new subscription gets the current state once`() {
    let reactor = TallyReactor()
    let first = Observation(reactor.state)
    reactor.action.onNext(.increase)
    reactor.action.onNext(.increase)
    first.stop()
    #expect(Observation(reactor.state).elements == [2])
    #expect(first.elements == [0, 1, 2])
  }

  @Test func `a state without observers is reduced`() {
    let reactor = NamingReactor()
    _ = reactor.state
    reactor.action.onNext(["action"])
    #expect(reactor.currentState == all)
  }

  @Test func `accessing the action connects the streams`() {
    let reactor = NamingReactor()
    reactor.action.onNext(["action"])
    #expect(reactor.currentState == all)
  }

  @Test func `a state that equals the previous one is emitted`() {
    let reactor = ScriptedReactor()
    reactor.transformingStates = { $0.map { _ in ["always"] } }
    let states = Observation(reactor.state)
    reactor.action.onNext("a")
    #expect(states.elements == [["always"], ["always"]])
  }

  @Test func `in reduce, the current state is the previous one`() {
    let reactor = ScriptedReactor()
    let seen = Recorder<[String]>()
    reactor.willReduce = { [unowned reactor] _ in seen.add(reactor.currentState) }
    reactor.mutating = { .of($0 + "1", $0 + "2") }
    reactor.action.onNext("a")
    #expect(seen.values == [[], ["a1"]])
  }

  @Test func `an observer sees its state as the current one`() {
    let reactor = TallyReactor()
    let seen = Recorder<Bool>()
    // Proof: only this thread accesses it.
    nonisolated(unsafe) let observed = reactor
    let subscription = reactor.state.subscribe(onNext: { seen.add(observed.currentState == $0) })
    reactor.action.onNext(.increase)
    #expect(seen.values == [true, true])
    subscription.dispose()
  }

  @Test func `a later step of a concat sees the state after the step before`() {
    let reactor = ScriptedReactor()
    // Proof: mutate and its effects are executed on this thread only.
    nonisolated(unsafe) let subject = reactor
    reactor.mutating = { _ in
      .concat(
        .just("first"),
        .create { observer in
          observer.onNext("after \(subject.currentState)")
          observer.onCompleted()
          return Disposables.create()
        },
        .deferred { .just("then \(subject.currentState.count)") })
    }
    reactor.action.onNext("go")
    #expect(reactor.currentState == ["first", #"after ["first"]"#, "then 2"])
    reactor.mutating = { _ in .empty() }
  }

  @Test func `a subclass of a generic reactor has a pipeline`() {
    class Generic<Value>: Reactor {
      typealias Action = Int
      typealias Mutation = Int
      typealias State = Int

      let initialState = 0

      func mutate(action: Int) -> Observable<Int> { .just(1) }

      func reduce(state: Int, mutation: Int) -> Int { state + mutation }
    }
    final class Special: Generic<String> {}

    let reactor = Special()
    #expect(reactor.action === reactor.action)
    #expect(reactor.state === reactor.state)
    #expect(reactor.currentState == 0)
    reactor.action.onNext(5)
    #expect(reactor.currentState == 1)
  }

  @Test func `a reactor without mutate and reduce emits its initial state`() {
    final class Idle: Reactor {
      enum Action: Sendable { case nothing }
      enum Mutation: Sendable { case never }

      let initialState = "as it is"
    }
    let reactor = Idle()
    let actions = Observation(reactor.action.asObservable())
    reactor.action.onNext(.nothing)
    #expect(actions.elements == [.nothing])
    #expect(reactor.currentState == "as it is")
  }
}
