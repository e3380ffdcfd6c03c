import ReactorCore
import ReactorStreams
import Testing

/// Run to completion: an action that is sent during a turn is enqueued.
struct ReentrancyTests {
  private func makeReactor() -> ScriptedReactor {
    let reactor = ScriptedReactor()
    reactor.mutating = { .of("enter \($0)", "exit \($0)") }
    return reactor
  }

  private let inOrder = ["enter a", "exit a", "enter b", "exit b"]

  @Test func `an action that an observer of the state sends waits for the current one`() {
    let reactor = makeReactor()
    let action = reactor.action
    let subscription = reactor.state.subscribe(onNext: {
      if $0.last == "enter a" { action.onNext("b") }
    })
    action.onNext("a")
    #expect(reactor.currentState == inOrder)
    subscription.dispose()
  }

  @Test func `an action that reduce sends waits for the current one`() {
    let reactor = makeReactor()
    let action = reactor.action
    reactor.willReduce = { if $0 == "enter a" { action.onNext("b") } }
    action.onNext("a")
    #expect(reactor.currentState == inOrder)
  }

  @Test(.timeLimit(.minutes(60)))
  func `an action of another thread during reduce waits, and its sender does not`()
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
      // The send of the other thread returns while this one is in reduce.
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

  @Test func `an action that mutate sends is executed after the current one`() {
    let reactor = ScriptedReactor()
    let action = reactor.action
    reactor.mutating = {
      if $0 == "a" { action.onNext("b") }
      return .of("enter \($0)", "exit \($0)")
    }
    action.onNext("a")
    #expect(reactor.currentState == inOrder)
  }

  @Test(.timeLimit(.minutes(60)))
  func `elements of an effect and actions of an observer have one order`() async {
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
  func `observers are notified in the order of their subscriptions`(count: Int) {
    let reactor = TallyReactor()
    let served = Recorder<Int>()
    var subscriptions = (0..<count).map { number in
      reactor.state.subscribe(onNext: { if $0 == 1 { served.add(number) } })
    }
    // A new observer does not take the position of a disposed one.
    subscriptions.removeFirst().dispose()
    subscriptions.append(reactor.state.subscribe(onNext: { if $0 == 1 { served.add(count) } }))
    reactor.action.onNext(.increase)
    #expect(served.values == Array(1...count))
    for subscription in subscriptions { subscription.dispose() }
  }
}
