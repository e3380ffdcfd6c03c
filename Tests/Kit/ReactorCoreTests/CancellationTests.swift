import ReactorCore
import ReactorStreams
import Testing

/// Effects that are cancelled by an id.
struct CancellationTests {
  private let source = PublishSubject<String>()
  private let gate = PublishSubject<String>()

  /// The action `start` subscribes to the source with an id, `wait` does so when the gate has
  /// completed, and `cancel` ends them.
  private func makeReactor(cancelInFlight: Bool = false) -> ScriptedReactor {
    let reactor = ScriptedReactor()
    reactor.mutating = { [source, gate] action in
      let work = source.map { action + $0 }.cancellable(id: "work", cancelInFlight: cancelInFlight)
      return switch action.prefix(4) {
      case "star": .concat(work, .just("after"))
      case "wait": .concat(gate.asObservable(), work)
      case "canc": .cancel(id: "work")
      default: .just(action)
      }
    }
    return reactor
  }

  @Test func `a cancelled stream completes, and a concat continues`() {
    let reactor = makeReactor()
    reactor.action.onNext("start")
    source.onNext("1")
    reactor.action.onNext("cancel")
    #expect(!source.hasObservers)
    source.onNext("2")
    #expect(reactor.currentState == ["start1", "after"])
    #expect(reactor.failures.values.isEmpty)
    #expect(reactor.pipeline.runningEffectCount == 0)
  }

  @Test func `an id cancels all streams with it`() {
    let reactor = makeReactor()
    reactor.action.onNext("startA")
    reactor.action.onNext("startB")
    source.onNext("1")
    reactor.action.onNext("cancel")
    #expect(!source.hasObservers)
    #expect(reactor.currentState == ["startA1", "startB1", "after", "after"])
  }

  @Test func `a stream that is created after a cancellation is not cancelled`() {
    let reactor = makeReactor()
    reactor.action.onNext("cancel")
    reactor.action.onNext("start")
    source.onNext("1")
    #expect(reactor.currentState == ["start1"])
  }

  @Test func `a stream that has not begun is cancelled`() {
    let reactor = makeReactor()
    reactor.action.onNext("wait")
    reactor.action.onNext("cancel")
    gate.onCompleted()
    #expect(!source.hasObservers)
    #expect(reactor.pipeline.runningEffectCount == 0)
  }

  @Test func `a shared stream can begin again after a cancellation`() {
    let reactor = ScriptedReactor()
    let once = source.cancellable(id: 1)
    reactor.mutating = { [gate] action in
      switch action {
      case "start": once
      case "keep": gate.asObservable()
      default: .cancel(id: 1)
      }
    }
    for action in ["keep", "start", "cancel", "start"] { reactor.action.onNext(action) }
    source.onNext("1")
    #expect(reactor.currentState == ["1"])
  }

  @Test func `an effect can begin a new stream with a cancelled id`() {
    let reactor = ScriptedReactor()
    reactor.mutating = { [source, gate] action in
      action == "cancel"
        ? .cancel(id: 1)
        : gate.flatMapLatest { text in source.map { text + $0 }.cancellable(id: 1) }
    }
    reactor.action.onNext("go")
    gate.onNext("a")
    reactor.action.onNext("cancel")
    source.onNext("1")
    gate.onNext("b")
    source.onNext("2")
    #expect(reactor.currentState == ["b2"])
  }

  @Test func `with cancelInFlight, the newest stream remains`() {
    let reactor = makeReactor(cancelInFlight: true)
    reactor.action.onNext("startA")
    source.onNext("1")
    reactor.action.onNext("startB")
    source.onNext("2")
    #expect(reactor.currentState == ["startA1", "after", "startB2"])
  }

  @Test
  func `with cancelInFlight, an earlier stream that begins later does not cancel a newer one`() {
    let reactor = makeReactor(cancelInFlight: true)
    reactor.action.onNext("wait")
    reactor.action.onNext("start")
    gate.onCompleted()
    source.onNext("1")
    #expect(reactor.currentState == ["start1"])
  }

  @Test(arguments: [false, true])
  func `an element that waits for its turn is dropped by a cancellation`(cancelInFlight: Bool) {
    let reactor = ScriptedReactor()
    reactor.mutating = { [source] action in
      let work = source.map { "\(action) \($0)" }
        .cancellable(id: "work", cancelInFlight: cancelInFlight)
      guard action != "first" else { return work }
      // The mailbox is busy: the element waits for its turn.
      OtherThread { source.onNext("late") }.join()
      return cancelInFlight ? work : .cancel(id: "work")
    }
    reactor.action.onNext("first")
    source.onNext("1")
    reactor.action.onNext("second")
    source.onNext("2")
    #expect(reactor.currentState == (cancelInFlight ? ["first 1", "second 2"] : ["first 1"]))
  }

  @Test func `elements of a turn follow those that wait for theirs`() {
    let reactor = ScriptedReactor()
    reactor.mutating = { [source] action in
      guard action != "start" else { return source.cancellable(id: "work") }
      OtherThread { source.onNext("1") }.join()
      source.onNext("2")
      return .empty()
    }
    reactor.action.onNext("start")
    reactor.action.onNext("emit")
    #expect(reactor.currentState == ["1", "2"])
  }

  @Test func `a turn of an element is attributed to its effect`() {
    final class Effect: TrackedEffect {
      func begin() {}
      func end(_ error: (any Error)?) {}
    }
    let reactor = ScriptedReactor()
    reactor.mutating = { [source] _ in source.cancellable(id: "work") }
    let effect = Effect()
    let turns = Recorder<ObjectIdentifier?>()
    reactor.pipeline.connect(from: nil, in: reactor.pipeline) { report in
      if case .turnBegan(let effect) = report { turns.add(effect.map { ObjectIdentifier($0) }) }
      return nil
    }
    reactor.pipeline.send("go", as: effect)
    source.onNext("1")
    #expect(turns.values == [nil, ObjectIdentifier(effect), ObjectIdentifier(effect)])
  }

  @Test func `an id is local to its reactor`() {
    let (first, second) = (makeReactor(), makeReactor())
    first.action.onNext("startA")
    second.action.onNext("startB")
    first.action.onNext("cancel")
    source.onNext("1")
    #expect(first.currentState == ["after"])
    #expect(second.currentState == ["startB1"])
  }

  @Test func `ids of different types are different`() {
    struct Key: Hashable, Sendable { let name: String }
    let reactor = ScriptedReactor()
    reactor.mutating = { [source] action in
      switch action {
      case "text": source.cancellable(id: "a")
      case "key": source.map { $0 + "!" }.cancellable(id: Key(name: "a"))
      default: .cancel(id: Key(name: "a"))
      }
    }
    for action in ["text", "key", "cancel"] { reactor.action.onNext(action) }
    source.onNext("1")
    #expect(reactor.currentState == ["1"])
  }

  @Test func `a stream that a scheduler of the session begins has its reactor`() {
    let reactor = ScriptedReactor()
    reactor.mutating = { [source, gate] action in
      action == "cancel"
        ? .cancel(id: 1)
        : gate.observe(on: MainScheduler.instance)
          .flatMap { _ in source.cancellable(id: 1) }
    }
    reactor.action.onNext("go")
    OtherThread { [gate] in gate.onNext("begin") }.join()
    #expect(source.hasObservers)
    reactor.action.onNext("cancel")
    #expect(!source.hasObservers)
  }

  @Test func `the end of the reactor ends cancellable streams`() {
    do {
      let reactor = makeReactor()
      reactor.action.onNext("start")
      reactor.action.onNext("wait")
      #expect(source.hasObservers && gate.hasObservers)
    }
    #expect(!source.hasObservers && !gate.hasObservers)
  }

  @Test func `ended cancellable streams are released`() {
    weak var pipeline: AnyObject?
    do {
      let reactor = makeReactor(cancelInFlight: true)
      let states = Observation(reactor.state)
      for action in ["start", "wait", "start", "cancel", "start"] { reactor.action.onNext(action) }
      source.onNext("1")
      gate.onNext("2")
      pipeline = reactor.pipeline
      #expect(pipeline != nil && !states.elements.isEmpty)
    }
    #expect(pipeline == nil)
  }

  @Test func `outside of a reactor, cancellable has no effect`() {
    let seen = Observation(source.cancellable(id: 1, cancelInFlight: true))
    let cancelled = Observation(Observable<String>.cancel(id: 1))
    source.onNext("1")
    #expect(seen.elements == ["1"])
    #expect(cancelled.elements.isEmpty)
    #expect(cancelled.ends == ["completed"])
  }

  @Test(.timeLimit(.minutes(60)))
  func `a cancellation is safe while another thread emits`() async {
    let reactor = makeReactor()
    for round in 0..<200 {
      reactor.action.onNext("start\(round)")
      let other = OtherThread { [source] in source.onNext("x") }
      reactor.action.onNext("cancel")
      other.join()
      #expect(!source.hasObservers)
    }
    #expect(reactor.pipeline.runningEffectCount == 0)
    #expect(reactor.currentState.count { $0 == "after" } == 200)
  }
}
