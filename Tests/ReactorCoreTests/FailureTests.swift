import ReactorCore
import ReactorStreams
import Testing

/// What fails is reported and survived.
struct FailureTests {
  @Test func `D2: mutations before a failure stay, and the next action runs`() {
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

  @Test func `D3: a failure leaves the effects of other actions alone`() {
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

  @Test func `RK09: an action whose mutations complete early ends nothing else`() {
    let reactor = ScriptedReactor()
    reactor.mutating = { $0 == "none" ? .empty() : .just($0) }
    for action in ["1", "none", "2"] { reactor.action.onNext(action) }
    #expect(reactor.currentState == ["1", "2"])
  }

  @Test(arguments: [ReactorStage.transformAction, .transformMutation, .transformState])
  func `D4: a transform that fails is reported and replaced`(stage: ReactorStage) {
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
    // What transform(state:) did not let through was reduced, and is not shown.
    let last = stage == .transformState ? ["1", "bad", "2"] : ["1", "2"]
    #expect(states.elements == [[], ["1"], last])
    #expect(states.ends.isEmpty)
    #expect(reactor.failures.values == [stage])
  }

  @Test func `D4: the action right behind the one that a transform failed on is not lost`() {
    let reactor = ScriptedReactor()
    reactor.transformingActions = { actions in
      actions.map { if $0 == "bad" { throw Mishap() } else { $0 } }
    }
    let action = reactor.action
    // Sent from within an item, so that they stand in line one behind the other.
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
  func `a transform that fails whenever it is subscribed to fails once an element`(
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

  @Test func `a stream that was merged in and stays broken is reported with every mutation`() {
    let reactor = ScriptedReactor()
    let merged = PublishSubject<String>()
    reactor.transformingMutations = { .merge($0, merged.asObservable()) }
    reactor.action.onNext("1")
    merged.onNext("m")
    merged.onError(Mishap())
    reactor.action.onNext("2")
    #expect(reactor.currentState == ["1", "m"])
    // When it broke, when it was subscribed to again, and when "2" was to pass.
    #expect(reactor.failures.values == Array(repeating: .transformMutation, count: 3))
  }

  @Test func `actions that have ended end the states when the last effect does`() {
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

  @Test func `D5: who comes after the end gets the last state and the end`() {
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
