import ReactorCore
import ReactorStreams
import Testing

/// Run to completion: what is sent from within waits for its turn.
struct ReentrancyTests {
  private func makeReactor() -> ScriptedReactor {
    let reactor = ScriptedReactor()
    reactor.mutating = { .of("enter \($0)", "exit \($0)") }
    return reactor
  }

  private let inOrder = ["enter a", "exit a", "enter b", "exit b"]

  @Test func `RK20: an action sent by an observer of the state waits for the running one`() {
    let reactor = makeReactor()
    let action = reactor.action
    let subscription = reactor.state.subscribe(onNext: {
      if $0.last == "enter a" { action.onNext("b") }
    })
    action.onNext("a")
    #expect(reactor.currentState == inOrder)
    subscription.dispose()
  }

  @Test func `RK21: an action sent from reduce waits for the running one`() {
    let reactor = makeReactor()
    let action = reactor.action
    reactor.willReduce = { if $0 == "enter a" { action.onNext("b") } }
    action.onNext("a")
    #expect(reactor.currentState == inOrder)
  }

  @Test(.timeLimit(.minutes(1)))
  func `RK22: an action sent by another thread during reduce waits, and so does not its sender`()
    async
  {
    let reactor = makeReactor()
    let action = reactor.action
    let (sent, continuation) = AsyncStream<Void>.makeStream()
    let began = Gate()
    let returned = Gate()
    reactor.willReduce = {
      guard $0 == "enter a" else { return }
      began.open()
      // The other thread comes back from its send while this one is still here.
      returned.wait()
    }
    let other = OtherThread {
      began.wait()
      action.onNext("b")
      returned.open()
      continuation.yield()
    }
    action.onNext("a")
    for await _ in sent { break }
    other.join()
    #expect(reactor.currentState == inOrder)
  }

  @Test func `an action sent from mutate runs after the one that is being mutated`() {
    let reactor = ScriptedReactor()
    let action = reactor.action
    reactor.mutating = {
      if $0 == "a" { action.onNext("b") }
      return .of("enter \($0)", "exit \($0)")
    }
    action.onNext("a")
    #expect(reactor.currentState == inOrder)
  }

  @Test(.timeLimit(.minutes(1)))
  func `D6: what an asynchronous effect emits and what an observer sends has one order`() async {
    let reactor = ScriptedReactor()
    let (done, finished) = AsyncStream<Void>.makeStream()
    reactor.mutating = { action in
      guard action == "a" else { return .of("b1", "b2") }
      return .run { send in
        send("a1")
        send("a2")
      }
    }
    let action = reactor.action
    let first = Recorder<[String]>()
    let second = Recorder<[String]>()
    let bag = DisposeBag()
    reactor.state.subscribe(onNext: {
      first.add($0)
      if $0 == ["a1"] { action.onNext("b") }
    }).disposed(by: bag)
    reactor.state.subscribe(onNext: {
      second.add($0)
      if $0.count == 4 { finished.yield() }
    }).disposed(by: bag)
    action.onNext("a")
    for await _ in done { break }

    #expect(first.values == second.values)
    #expect(first.values.map(\.count) == [0, 1, 2, 3, 4])
    let last = second.values.last ?? []
    #expect(last.filter { $0.hasPrefix("a") } == ["a1", "a2"])
    #expect(last.filter { $0.hasPrefix("b") } == ["b1", "b2"])
    for (earlier, later) in zip(first.values, first.values.dropFirst()) {
      #expect(later.starts(with: earlier))
    }
  }

  @Test(arguments: [3, 100])
  func `D10: observers are served in the order in which they subscribed`(count: Int) {
    let reactor = TallyReactor()
    let served = Recorder<Int>()
    var subscriptions = (0..<count).map { number in
      reactor.state.subscribe(onNext: { if $0 == 1 { served.add(number) } })
    }
    // One who leaves makes no room in front for one who comes.
    subscriptions.removeFirst().dispose()
    subscriptions.append(reactor.state.subscribe(onNext: { if $0 == 1 { served.add(count) } }))
    reactor.action.onNext(.increase)
    #expect(served.values == Array(1...count))
    for subscription in subscriptions { subscription.dispose() }
  }
}
