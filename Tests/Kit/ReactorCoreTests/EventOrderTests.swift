import ReactorCore
import ReactorStreams
import Synchronization
import Testing

/// The events of a stream keep their order if another thread emits some of them.
struct EventOrderTests {
  private let settings = PublishSubject<String>()

  /// A stream whose events are handled in the turns of the reactor.
  enum Merged: CaseIterable {
    case merge, flatMapLatest, combineLatest, retry, create, take

    func stream(of source: Observable<String>) -> Observable<String> {
      switch self {
      case .merge: source
      case .flatMapLatest: Observable.just(0).flatMapLatest { _ in source }
      case .combineLatest: .combineLatest(source, Observable.of(0)) { element, _ in element }
      case .retry: source.retry(2)
      case .create: .create { source.subscribe($0) }
      case .take: source.take(for: .seconds(100_000), scheduler: TaskScheduler.instance)
      }
    }
  }

  @Test(arguments: Merged.allCases)
  func `an event of a turn follows an earlier one that waits`(merged: Merged) {
    let reactor = ScriptedReactor()
    reactor.transformingMutations = { [settings] in
      .merge($0, merged.stream(of: settings.asObservable()))
    }
    reactor.mutating = { [settings] action in
      OtherThread { settings.onNext("1") }.join()
      settings.onNext("2")
      return .just(action)
    }
    reactor.action.onNext("action")
    // The mutation of the action does not wait: it belongs to the turn of the action.
    #expect(reactor.currentState == ["action", "1", "2"])
  }

  @Test func `an element that waits precedes the completion that a turn emits`() {
    let reactor = ScriptedReactor()
    let observers = Recorder<AnyObserver<String>>()
    reactor.transformingMutations = {
      .merge(
        $0,
        .create { observer in
          observers.add(observer)
          return Disposables.create()
        })
    }
    reactor.mutating = { action in
      OtherThread { observers.values[0].onNext("1") }.join()
      observers.values[0].onCompleted()
      return .just(action)
    }
    reactor.action.onNext("action")
    #expect(reactor.currentState == ["action", "1"])
  }

  @Test func `an action of a turn follows an earlier one that waits`() {
    let reactor = ScriptedReactor()
    // A subject emits on the thread that sends.
    reactor.transformingActions = { [settings] _ in settings.asObservable() }
    _ = reactor.action
    reactor.pipeline.enqueue { [settings] in
      OtherThread { settings.onNext("1") }.join()
      settings.onNext("2")
    }
    #expect(reactor.currentState == ["1", "2"])
  }

  @Test func `a state of a turn follows an earlier one that waits`() {
    let reactor = ScriptedReactor()
    let shown = PublishSubject<[String]>()
    reactor.transformingStates = { _ in shown.asObservable() }
    reactor.mutating = { _ in
      OtherThread { shown.onNext(["1"]) }.join()
      shown.onNext(["2"])
      return .empty()
    }
    let states = Observation(reactor.state)
    reactor.action.onNext("action")
    #expect(states.elements == [["1"], ["2"]])
    #expect(reactor.currentState == ["2"])
  }

  @Test func `an effect ends after its mutation that waits behind another one`() {
    let reactor = ScriptedReactor()
    let effect = CountedEffect()
    let subscriptions = DisposeBag()
    // A subject emits on the thread that sends.
    reactor.transformingMutations = { [settings] mutations in
      mutations.subscribe(settings).disposed(by: subscriptions)
      return settings.asObservable()
    }
    reactor.mutating = { [settings, unowned reactor] action in
      // Proof: the effect ends on this thread.
      nonisolated(unsafe) let reactor = reactor
      effect.onEnd = { effect.states.add(reactor.currentState) }
      OtherThread { settings.onNext("1") }.join()
      return .just(action)
    }
    reactor.pipeline.send("action", as: effect)
    #expect(reactor.currentState == ["1", "action"])
    #expect(effect.states.values == [["1", "action"]])
  }
}

/// Calls a closure when all parts of the effect have ended.
///
/// Proof: it is used on one thread.
private final class CountedEffect: TrackedEffect, @unchecked Sendable {
  let states = Recorder<[String]>()
  var onEnd: () -> Void = {}
  private var running = 0

  func begin() {
    running += 1
  }

  func end(_ error: (any Error)?) {
    running -= 1
    if running == 0 { onEnd() }
  }
}
