import ReactorCore
import ReactorStreams
import Testing

struct ActionSubjectTests {
  @Test(arguments: ["failed", "completed"])
  func `a source that ends does not end the reactor that it is bound to`(end: String) {
    let reactor = TallyReactor()
    let states = Observation(reactor.state)
    let (first, second) = (
      PublishSubject<TallyReactor.Action>(), PublishSubject<TallyReactor.Action>()
    )
    let bag = DisposeBag()
    first.subscribe(reactor.action).disposed(by: bag)
    second.subscribe(reactor.action).disposed(by: bag)

    first.onNext(.increase)
    first.onNext(.increase)
    if end == "failed" { first.onError(Mishap()) } else { first.onCompleted() }
    second.onNext(.increase)
    reactor.action.onNext(.increase)
    second.onError(Mishap())
    reactor.action.onNext(.increase)
    #expect(states.elements == [0, 1, 2, 3, 4, 5])
    #expect(states.ends.isEmpty)
  }

  @Test func `observers get actions and never a completion`() {
    let reactor = ScriptedReactor()
    let actions = Observation(reactor.action.asObservable())
    reactor.action.onNext("1")
    reactor.action.onError(Mishap())
    reactor.action.onCompleted()
    reactor.action.onNext("2")
    #expect(actions.elements == ["1", "2"])
    #expect(actions.ends.isEmpty)
  }

  @Test func `a disposed observer gets no more actions, the others do`() {
    let reactor = ScriptedReactor()
    let first = Observation(reactor.action.asObservable())
    let second = Observation(reactor.action.asObservable())
    reactor.action.onNext("1")
    first.stop()
    reactor.action.onNext("2")
    second.stop()
    reactor.action.onNext("3")
    #expect(first.elements == ["1"])
    #expect(second.elements == ["1", "2"])
    #expect(reactor.currentState == ["1", "2", "3"])
  }

  @Test func `observers get an action before it is transformed`() {
    let reactor = ScriptedReactor()
    reactor.transformingActions = { $0.map { $0 + "!" } }
    let actions = Observation(reactor.action.asObservable())
    reactor.action.onNext("go")
    #expect(actions.elements == ["go"])
    #expect(reactor.currentState == ["go!"])
  }

  @Test func `a later action can end an effect`() {
    let reactor = ScriptedReactor()
    let ticks = PublishSubject<String>()
    let isStop: @Sendable (String) -> Bool = { $0 == "stop" }
    reactor.mutating = { [unowned reactor] action in
      action == "start" ? ticks.take(until: reactor.action.filter(isStop)) : .empty()
    }
    reactor.action.onNext("start")
    ticks.onNext("tick")
    reactor.action.onNext("stop")
    ticks.onNext("tock")
    #expect(reactor.currentState == ["tick"])
    #expect(!ticks.hasObservers)
  }
}
