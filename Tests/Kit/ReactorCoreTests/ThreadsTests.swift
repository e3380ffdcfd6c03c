import ReactorCore
import ReactorStreams
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(60)))
struct ThreadsTests {
  @Test func `concurrent tasks get the same stream, created once`() async {
    let reactor = ScriptedReactor()
    let asked = Recorder<Void>()
    reactor.transformingStates = {
      asked.add(())
      return $0
    }
    // Proof: the reactor's lock and mailbox guard the creation of the pipeline.
    nonisolated(unsafe) let shared = reactor
    let streams = await withTaskGroup(of: ObjectIdentifier.self) { group in
      for _ in 0..<100 { group.addTask { ObjectIdentifier(shared.state) } }
      return await group.reduce(into: Set()) { $0.insert($1) }
    }
    #expect(streams == [ObjectIdentifier(reactor.state)])
    #expect(asked.values.count == 1)
  }

  @Test func `an action can be sent by another thread`() {
    let reactor = TallyReactor()
    let states = Observation(reactor.state)
    let action = reactor.action
    OtherThread { action.onNext(.increase) }.join()
    #expect(states.elements == [0, 1])
    #expect(reactor.currentState == 1)
  }

  @Test func `the actions of two threads are all executed, each thread's in order`() {
    let reactor = OrderReactor()
    let action = reactor.action
    let threads = [0, 1].map { thread in
      OtherThread { for number in 0..<10_000 { action.onNext(.init(thread: thread, number)) } }
    }
    for thread in threads { thread.join() }
    // The thread that handles an item also handles those that the other one has enqueued.
    #expect(reactor.currentState == .init(count: 20_000, next: [10_000, 10_000], isInOrder: true))
  }

  @Test func `threads whose observers send to each other's reactors do not deadlock`() {
    let reactors = [TallyReactor(), TallyReactor()]
    let actions = reactors.map(\.action)
    let bag = DisposeBag()
    for (index, reactor) in reactors.enumerated() {
      let other = actions[1 - index]
      // Every second state sends an action to the other reactor, up to a limit.
      reactor.state.subscribe(onNext: { if $0 % 2 == 1, $0 < 2000 { other.onNext(.increase) } })
        .disposed(by: bag)
    }
    let threads = actions.map { action in
      OtherThread { for _ in 0..<1000 { action.onNext(.increase) } }
    }
    for thread in threads { thread.join() }
    for reactor in reactors { #expect(reactor.currentState >= 1000) }
  }

  @Test func `the threads of an effect and of a sender can meet in an observer`() {
    let reactor = ScriptedReactor()
    let effect = PublishSubject<String>()
    reactor.mutating = { $0 == "effect" ? effect.asObservable() : .just($0) }
    let action = reactor.action
    action.onNext("effect")
    let subscription = reactor.state.subscribe(onNext: { state in
      if state.last == "e", state.count < 4000 { action.onNext("again") }
    })
    let threads = [
      OtherThread { for _ in 0..<500 { effect.onNext("e") } },
      OtherThread { for _ in 0..<500 { action.onNext("a") } },
    ]
    for thread in threads { thread.join() }
    #expect(reactor.currentState.count == 1500)
    #expect(reactor.currentState.filter { $0 == "again" }.count == 500)
    subscription.dispose()
  }

  @Test(arguments: [true, false])
  func `a turn during the subscriptions of another reactor has its own streams`(inStage: Bool) {
    let observers = Recorder<AnyObserver<String>>()
    let work = Observable<String>.create { observer in
      observers.add(observer)
      return Disposables.create()
    }
    let second = ScriptedReactor()
    if inStage {
      second.transformingMutations = { $0.flatMap { _ in work } }
    } else {
      second.mutating = { _ in work }
    }
    let action = second.action
    let first = ScriptedReactor()
    first.transformingMutations = {
      .merge(
        $0,
        .deferred {
          action.onNext("start")
          return .never()
        })
    }
    _ = first.action
    let states = Recorder<[String]>()
    // Proof: the other thread has ended when it is read.
    nonisolated(unsafe) let observed = second
    first.pipeline.enqueue {
      // The mailbox of the first reactor is busy; that of the second is idle.
      OtherThread { observers.values[0].onNext("1") }.join()
      states.add(observed.currentState)
    }
    #expect(states.values == [["1"]])
  }

  @Test func `a reactor that connects slowly does not block another one`() {
    let slow = ScriptedReactor()
    let began = Gate()
    let mayGoOn = Gate()
    slow.transformingStates = {
      began.open()
      mayGoOn.wait()
      return $0
    }
    // Proof: only the other thread touches it until it is joined.
    nonisolated(unsafe) let connecting = slow
    let other = OtherThread { connecting.action.onNext("late") }
    began.wait()
    let quick = TallyReactor()
    quick.action.onNext(.increase)
    #expect(quick.currentState == 1)
    mayGoOn.open()
    other.join()
    #expect(slow.currentState == ["late"])
  }
}

/// Checks that the numbers of each thread arrive in order.
private final class OrderReactor: Reactor {
  struct Action: Sendable {
    let thread: Int
    let number: Int

    init(thread: Int, _ number: Int) {
      self.thread = thread
      self.number = number
    }
  }

  struct State: Equatable, Sendable {
    var count = 0
    var next = [0, 0]
    var isInOrder = true
  }

  let initialState = State()

  func reduce(state: State, mutation: Action) -> State {
    var state = state
    state.count += 1
    if state.next[mutation.thread] != mutation.number { state.isInOrder = false }
    state.next[mutation.thread] += 1
    return state
  }
}
