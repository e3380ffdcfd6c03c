import ReactorCore
import ReactorStreams
import Testing

struct LifetimeTests {
  /// A reactor whose State is released when it is replaced.
  private final class ReplacingReactor: Reactor {
    final class State: Sendable {
      private let onRelease: @Sendable () -> Void

      init(onRelease: @escaping @Sendable () -> Void = {}) {
        self.onRelease = onRelease
      }

      deinit { onRelease() }
    }

    typealias Action = Int

    let initialState = State()
    let released = Recorder<Int>()

    func reduce(state: State, mutation: Int) -> State { State() }

    func transform(state: Observable<State>) -> Observable<State> {
      let read: @Sendable () -> Void = { [weak pipeline] in _ = pipeline?.currentState }
      return state.map { [released] _ in
        State {
          read()
          released.add(1)
        }
      }
    }
  }

  @Test func `the deinit of a shown state can read the current state`() {
    let reactor = ReplacingReactor()
    for number in 0..<3 { reactor.action.onNext(number) }
    #expect(reactor.released.values.count == 3)
  }

  @Test func `a reactor without references is released with its pipeline`() {
    weak var reactor: ScriptedReactor?
    weak var action: ActionSubject<String>?
    weak var state: Observable<[String]>?
    do {
      let made = ScriptedReactor()
      made.transformingMutations = { .merge($0, .never()) }
      made.transformingStates = { $0.map { $0 } }
      made.action.onNext("1")
      (reactor, action, state) = (made, made.action, made.state)
      #expect(reactor != nil && action != nil && state != nil)
    }
    #expect(reactor == nil)
    #expect(action == nil)
    #expect(state == nil)
  }

  @Test func `running effects are cancelled with their reactor`() {
    let cancelled = Recorder<String>()
    weak var reactor: ScriptedReactor?
    do {
      let made = ScriptedReactor()
      made.mutating = { action in
        .create { _ in Disposables.create { cancelled.add(action) } }
      }
      made.action.onNext("1")
      made.action.onNext("2")
      reactor = made
      #expect(cancelled.values.isEmpty)
    }
    #expect(reactor == nil)
    #expect(cancelled.values.sorted() == ["1", "2"])
  }

  @Test(arguments: ["completed", "failed"])
  func `an ended effect is released`(end: String) {
    weak var pipeline: AnyObject?
    do {
      let reactor = ScriptedReactor()
      reactor.mutating = { action in
        .create { observer in
          observer.onNext(action)
          if end == "failed" { observer.onError(Mishap()) } else { observer.onCompleted() }
          return Disposables.create()
        }
      }
      reactor.action.onNext("1")
      #expect(reactor.currentState == ["1"])
      pipeline = reactor.pipeline
      #expect(pipeline != nil)
    }
    #expect(pipeline == nil)
  }

  @Test func `elements of an effect are ignored after its reactor is released`() {
    let effect = PublishSubject<String>()
    let states: Observation<[String]>
    do {
      let reactor = ScriptedReactor()
      reactor.mutating = { _ in effect.asObservable() }
      states = Observation(reactor.state)
      reactor.action.onNext("go")
      effect.onNext("1")
    }
    #expect(!effect.hasObservers)
    effect.onNext("2")
    effect.onCompleted()
    #expect(states.elements == [[], ["1"]])
    #expect(states.ends.isEmpty)
  }

  @Test func `actions are ignored after their reactor is released`() {
    let action: ActionSubject<String>
    do {
      action = ScriptedReactor().action
    }
    action.onNext("1")
    let seen = Observation(action.asObservable())
    action.onNext("2")
    #expect(seen.elements.isEmpty)
  }

  @Test(.timeLimit(.minutes(60)))
  func `the task of an effect is cancelled`() async {
    let (ended, finish) = AsyncStream<Bool>.makeStream()
    let (started, begin) = AsyncStream<Void>.makeStream()
    do {
      let reactor = ScriptedReactor()
      reactor.mutating = { _ in
        .run { _ in
          begin.yield()
          let (forever, _) = AsyncStream<Never>.makeStream()
          for await _ in forever {}
          finish.yield(Task.isCancelled)
        }
      }
      reactor.action.onNext("go")
      for await _ in started { break }
    }
    for await wasCancelled in ended {
      #expect(wasCancelled)
      break
    }
  }

  @Test func `an effect that emits too far ahead of the mailbox is ended and reported`() {
    let reactor = ScriptedReactor()
    let effect = PublishSubject<String>()
    reactor.mutating = { $0 == "effect" ? effect.asObservable() : .just($0) }
    let folded = Recorder<String>()
    reactor.transformingMutations = { mutations in
      // Counted here and dropped, so that the state does not grow.
      mutations.filter {
        if $0 == "e" { folded.add($0) }
        return $0 != "e"
      }
    }
    reactor.action.onNext("effect")
    // The mailbox folds nothing during a call of an observer, so all elements wait.
    let subscription = reactor.state.subscribe(onNext: { state in
      guard state == ["go"] else { return }
      for _ in 0..<(EffectOverrunError.limit + 10) { effect.onNext("e") }
    })
    reactor.action.onNext("go")
    #expect(folded.values.count == EffectOverrunError.limit)
    #expect(reactor.failures.values == [.mutate])
    #expect(!effect.hasObservers)
    reactor.action.onNext("after")
    #expect(reactor.currentState == ["go", "after"])
    subscription.dispose()
  }
}
