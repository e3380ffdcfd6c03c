import ReactorCore
import ReactorStreams
import Testing

/// Errors of streams are reported, and the reactor continues.
struct FailureTests {
  @Test func `mutations before an error stay, and the next action is executed`() {
    let reactor = ScriptedReactor(["1"])
    reactor.mutating = { action in
      action == "bad" ? .concat(.of("10", "10"), .error(Mishap())) : .just(action)
    }
    let states = Observation(reactor.state)
    reactor.action.onNext("bad")
    reactor.action.onNext("1")
    #expect(
      states.elements == [
        ["1"], ["1", "10"], ["1", "10", "10"], ["1", "10", "10", "1"],
      ])
    #expect(states.ends.isEmpty)
    #expect(reactor.failures.values == [.mutate])
  }

  @Test func `an error does not end the effects of other actions`() {
    let reactor = ScriptedReactor()
    let effect = PublishSubject<String>()
    reactor.mutating = { $0 == "long" ? effect.asObservable() : .error(Mishap()) }
    reactor.action.onNext("long")
    effect.onNext("1")
    reactor.action.onNext("bad")
    effect.onNext("2")
    #expect(reactor.currentState == ["1", "2"])
    #expect(reactor.failures.values == [.mutate])
  }

  @Test func `the completion of an action's mutations does not end the pipeline`() {
    let reactor = ScriptedReactor()
    reactor.mutating = { $0 == "none" ? .empty() : .just($0) }
    for action in ["1", "none", "2"] { reactor.action.onNext(action) }
    #expect(reactor.currentState == ["1", "2"])
  }

  @Test(arguments: [ReactorStage.transformAction, .transformMutation, .transformState])
  func `a transform that fails is reported and replaced`(stage: ReactorStage) {
    let reactor = ScriptedReactor()
    let check: @Sendable (String) throws -> String = {
      if $0 == "bad" { throw Mishap() }
      return $0
    }
    switch stage {
    case .transformAction: reactor.transformingActions = { $0.map(check) }
    case .transformMutation: reactor.transformingMutations = { $0.map(check) }
    default:
      reactor.transformingStates = { states in
        states.map { state in
          if let last = state.last { _ = try check(last) }
          return state
        }
      }
    }
    let states = Observation(reactor.state)
    for action in ["1", "bad", "2"] { reactor.action.onNext(action) }
    // A state that transform(state:) dropped was reduced, and is not emitted.
    let last = stage == .transformState ? ["1", "bad", "2"] : ["1", "2"]
    #expect(states.elements == [[], ["1"], last])
    #expect(states.ends.isEmpty)
    #expect(reactor.failures.values == [stage])
  }

  @Test func `the action after the one that a transform failed on is executed`() {
    let reactor = ScriptedReactor()
    reactor.transformingActions = { actions in
      actions.map { if $0 == "bad" { throw Mishap() } else { $0 } }
    }
    let action = reactor.action
    // Send the actions during a turn, so that they are enqueued in order.
    let subscription = reactor.state.subscribe(onNext: { state in
      guard state == ["go"] else { return }
      for next in ["bad", "good", "bad", "better"] { action.onNext(next) }
    })
    action.onNext("go")
    #expect(reactor.currentState == ["go", "good", "better"])
    #expect(reactor.failures.values == [.transformAction, .transformAction])
    subscription.dispose()
  }

  @Test(arguments: [ReactorStage.transformAction, .transformMutation, .transformState])
  func `a transform that fails with each subscription fails once per element`(
    stage: ReactorStage
  ) {
    let reactor = ScriptedReactor()
    switch stage {
    case .transformAction: reactor.transformingActions = { _ in .error(Mishap()) }
    case .transformMutation: reactor.transformingMutations = { _ in .error(Mishap()) }
    default: reactor.transformingStates = { _ in .error(Mishap()) }
    }
    _ = reactor.action
    let atFirst = reactor.failures.values.count
    #expect((1...2).contains(atFirst))
    reactor.action.onNext("1")
    reactor.action.onNext("2")
    #expect(reactor.failures.values == Array(repeating: stage, count: atFirst + 2))
    #expect(reactor.currentState == [])
  }

  @Test(arguments: [ReactorStage.transformAction, .transformMutation, .transformState])
  func `a transform that has failed is subscribed to in the context of its reactor`(
    stage: ReactorStage
  ) {
    let reactor = ScriptedReactor()
    let other = ScriptedReactor()
    let contexts = Recorder<ObjectIdentifier?>()
    // The initial state is an element.
    let failures = stage == .transformState ? 2 : 1
    @Sendable func failing<Element>(_ source: Observable<Element>) -> Observable<Element> {
      .deferred {
        contexts.add(CurrentSerialContext.value.map { ObjectIdentifier($0) })
        return contexts.values.count <= failures ? .error(Mishap()) : source
      }
    }
    switch stage {
    case .transformAction: reactor.transformingActions = failing
    case .transformMutation: reactor.transformingMutations = failing
    default: reactor.transformingStates = failing
    }
    let action = reactor.action
    // The other reactor sends the next action while it subscribes to its streams.
    other.transformingMutations = {
      action.onNext("next")
      return $0
    }
    _ = other.action
    let own = ObjectIdentifier(reactor.pipeline)
    #expect(contexts.values == Array(repeating: own, count: failures + 1))
    #expect(reactor.currentState == ["next"])
  }

  @Test func `a merged stream that keeps failing is reported with each mutation`() {
    let reactor = ScriptedReactor()
    let merged = PublishSubject<String>()
    reactor.transformingMutations = { .merge($0, merged.asObservable()) }
    reactor.action.onNext("1")
    merged.onNext("m")
    merged.onError(Mishap())
    reactor.action.onNext("2")
    #expect(reactor.currentState == ["1", "m"])
    // Reported at the error, at the new subscription, and at the element "2".
    #expect(reactor.failures.values == Array(repeating: .transformMutation, count: 3))
  }

  @Test func `completed actions complete the states after the last effect`() {
    let reactor = ScriptedReactor()
    let effect = PublishSubject<String>()
    reactor.mutating = { $0 == "long" ? effect.asObservable() : .just($0) }
    let end = PublishSubject<Void>()
    reactor.transformingActions = { $0.take(until: end) }
    let states = Observation(reactor.state)
    reactor.action.onNext("long")
    end.onNext(())
    reactor.action.onNext("too late")
    effect.onNext("still")
    #expect(states.ends.isEmpty)
    effect.onCompleted()
    #expect(states.elements == [[], ["still"]])
    #expect(states.ends == ["completed"])
    #expect(reactor.failures.values.isEmpty)
  }

  @Test
  func `an observer that subscribes after the completion gets the last state and the completion`() {
    let reactor = ScriptedReactor()
    let end = PublishSubject<Void>()
    reactor.transformingStates = { $0.take(until: end) }
    reactor.action.onNext("1")
    end.onNext(())
    let late = Observation(reactor.state)
    #expect(late.elements == [["1"]])
    #expect(late.ends == ["completed"])
    #expect(reactor.currentState == ["1"])
  }
}
