import ReactorCore
import ReactorStreams
import Testing

/// The effects of child reactors within the effects of their parent.
struct ChildScopeTests {
  private let first = ChildScope()
  private let second = ChildScope()
  private let source = PublishSubject<String>()

  /// `first` and `second` start a stream of that child with the same id, `cancel first` cancels the
  /// stream of the first child.
  private func makeReactor() -> ScriptedReactor {
    let reactor = ScriptedReactor()
    reactor.mutating = { [source, first, second] action in
      let work = source.map { "\(action) \($0)" }.cancellable(id: "search")
      return switch action {
      case "first": work.inScope(first)
      case "second": work.inScope(second)
      case "cancel first": Observable.cancel(id: "search").inScope(first)
      case "cancel": .cancel(id: "search")
      default: .just(action)
      }
    }
    return reactor
  }

  @Test func `an id belongs to one child`() {
    let reactor = makeReactor()
    reactor.action.onNext("first")
    reactor.action.onNext("second")
    reactor.action.onNext("cancel")
    reactor.action.onNext("cancel first")
    source.onNext("1")
    #expect(reactor.currentState == ["second 1"])
    #expect(reactor.pipeline.runningEffectCount == 1)
  }

  @Test func `the end of a child ends its streams, and later ones complete at once`() {
    let reactor = makeReactor()
    reactor.action.onNext("first")
    reactor.action.onNext("second")
    first.end()
    reactor.action.onNext("first")
    source.onNext("1")
    #expect(reactor.currentState == ["second 1"])
    #expect(reactor.pipeline.runningEffectCount == 1)
    #expect(reactor.failures.values.isEmpty)
  }

  @Test func `an event of another thread is dropped if the child ends before its turn`() {
    let reactor = makeReactor()
    reactor.action.onNext("first")
    reactor.willReduce = { [first, source] mutation in
      guard mutation == "end" else { return }
      // The mailbox is busy: the event waits for its turn, and the child ends before it.
      OtherThread { source.onNext("late") }.join()
      first.end()
    }
    reactor.action.onNext("end")
    #expect(reactor.currentState == ["end"])
    #expect(reactor.pipeline.runningEffectCount == 0)
  }

  @Test func `a child ends within its own mutation`() {
    let reactor = ScriptedReactor()
    reactor.mutating = { [first] _ in
      Observable.deferred { .of("a", "b") }
        .do(onNext: { if $0 == "a" { first.end() } }).inScope(first)
    }
    reactor.action.onNext("go")
    #expect(!reactor.currentState.contains("b"))
    #expect(reactor.pipeline.runningEffectCount == 0)
  }

  @Test func `progress of a child is that of the effect`() {
    let reactor = ScriptedReactor()
    let source = source
    reactor.mutating = { [first] _ in source.trackProgress { _ in 0.5 }.inScope(first) }
    reactor.action.onNext("go")
    source.onNext("half")
    #expect(reactor.pipeline.effectProgress == 0.5)
  }

  @Test func `elements are created in the turn that emits them`() {
    let reactor = ScriptedReactor()
    let gate = PublishSubject<String>()
    reactor.mutating = { [unowned reactor] action in
      // Proof: the closures are called in the serial context of the reactor.
      nonisolated(unsafe) let reactor = reactor
      guard action == "go" else { return .just(action) }
      let count = Observable.inTurn { ["\(reactor.currentState.count)"] }
      return .concat(count, count, gate.asObservable(), .deferredInTurn { count })
    }
    reactor.action.onNext("go")
    #expect(reactor.currentState == ["0", "1"])
    OtherThread { gate.onCompleted() }.join()
    #expect(reactor.currentState == ["0", "1", "2"])
  }
}
