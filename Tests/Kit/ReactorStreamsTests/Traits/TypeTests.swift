import ReactorStreams
import ReactorTesting
import StreamTestSupport
import Testing

/// The protocols and types that generic code of an app names.
@Suite(.ownSerialContext) struct TypeTests {
  private func elements<Stream: ObservableType>(_ stream: Stream) -> [Stream.Element] {
    let log = Log<Stream.Element>()
    _ = stream.subscribe(onNext: log.append)
    return log.entries
  }

  @Test func `a bindable stream is bound by a function`() {
    func bound(_ stream: some BindableType<Int>) -> [Int] {
      stream.bind(to: { self.elements($0.asObservable()) })
    }
    #expect(bound(Observable.of(1, 2)) == [1, 2])
    let sum = Observable.of(1, 2).bind(
      to: { stream in { factor in self.elements(stream).map { $0 * factor } } }, curriedArgument: 3)
    #expect(sum == [3, 6])
  }

  @Test func `an observer maps the elements of another type`() {
    func sent(_ observer: some ObserverType<Int>) {
      let texts: AnyObserver<String> = observer.asObserver().mapObserver { text in
        guard let number = Int(text) else { throw TestError.test }
        return number
      }
      texts.onNext("4")
      texts.onNext("x")
      texts.onNext("5")
    }
    let subject = ReplaySubject<Int>.createUnbounded()
    sent(subject)
    let log = Log<String>()
    _ = subject.subscribe { log.append("\($0)") }
    #expect(log.entries == ["next(4)", "error(TestError(test))"])
  }

  @Test func `events have a kind, and convertible events are dematerialized`() {
    struct Answer: EventConvertible {
      let event: Event<Int>
    }
    #expect(Event<Int>.completed.isCompleted)
    #expect(!Event.next(1).isCompleted)
    let answers = Observable.of(Answer(event: .next(1)), Answer(event: .completed))
    #expect(elements(answers.dematerialize()) == [1])
  }

  @Test func `switchLatest follows the latest inner stream`() {
    let (first, second) = (PublishSubject<Int>(), PublishSubject<Int>())
    let outer = PublishSubject<PublishSubject<Int>>()
    let log = Log<Int>()
    let subscription = outer.switchLatest().subscribe(onNext: log.append)
    outer.onNext(first)
    first.onNext(1)
    outer.onNext(second)
    first.onNext(2)
    second.onNext(3)
    subscription.dispose()
    #expect(log.entries == [1, 3])
  }

  @Test(arguments: [TakeBehavior.inclusive, .exclusive])
  func `take(while:) emits the last element only if it is inclusive`(behavior: TakeBehavior) {
    let taken = elements(Observable.of(1, 2, 3).take(while: { $0 < 2 }, behavior: behavior))
    #expect(taken == (behavior == .inclusive ? [1, 2] : [1]))
  }

  @Test func `a relay without a bound replays everything`() {
    func accept(_ relay: some RelayType<Int>) { for number in 1...100 { relay.accept(number) } }
    let relay = ReplayRelay<Int>.createUnbound()
    accept(relay)
    #expect(elements(relay) == Array(1...100))
  }

  @Test(arguments: [SubjectLifetimeScope.whileConnected, .forever])
  func `the scope decides whether a later connection has the replay`(scope: SubjectLifetimeScope) {
    let source = PublishSubject<Int>()
    let shared = source.share(replay: 1, scope: scope)
    let first = shared.subscribe()
    source.onNext(1)
    first.dispose()
    #expect(elements(shared) == (scope == .forever ? [1] : []))
  }

  @Test func `controls convert to themselves`() {
    let behind = BehaviorSubject(value: 1)
    func event(_ control: some ControlEventType<Int>) -> [Int] {
      elements(control.asControlEvent())
    }
    func property(_ control: some ControlPropertyType<Int>) -> [Int] {
      elements(control.asControlProperty())
    }
    #expect(event(ControlEvent(events: Observable.of(1, 2))) == [1, 2])
    #expect(property(ControlProperty(values: behind, valueSink: behind)) == [1])
  }

  @Test func `a single is a primitive sequence of one element`() {
    func first<Trait: ElementTrait>(_ sequence: some PrimitiveSequenceType<Trait, Int>) -> [Int] {
      let typed: PrimitiveSequence<Trait, Int> = sequence.primitiveSequence
      return elements(typed.map { $0 + 1 }.asObservable())
    }
    let single: PrimitiveSequence<SingleTrait, Int> = .just(1)
    #expect(first(single) == [2])
    let log = Log<SingleEvent<Int>>()
    let created = Single<Int>.create { (observe: @escaping Single<Int>.SingleObserver) in
      observe(.success(3))
      return Disposables.create()
    }
    _ = created.subscribe { log.append($0) }
    #expect(log.entries.compactMap { try? $0.get() } == [3])
  }

  @Test func `an app shares a sequence in a way of its own`() {
    enum Unshared: SharingStrategyProtocol {
      static func share<Element: Sendable>(_ source: Observable<Element>) -> Observable<Element> {
        source
      }
    }
    let subscriptions = Box(0)
    let source = Observable<Int>.deferred {
      subscriptions.withLock { $0 += 1 }
      return .just(1)
    }
    let sequence: SharedSequence<Unshared, Int> = source.asSharedSequence(onErrorJustReturn: 0)
    #expect(elements(sequence.asObservable()) + elements(sequence.asObservable()) == [1, 1])
    #expect(subscriptions.value == 2)
  }

  // MARK: Disposables and schedulers

  @Test func `a flag is disposed of, and a builder fills a bag`() {
    let flags = (0..<3).map { _ in BooleanDisposable() }
    func isDisposed(_ disposable: some Cancelable) -> Bool { disposable.isDisposed }
    do {
      let bag = DisposeBag {
        flags[0]
        flags[1]
      }
      func listed(@DisposeBag.DisposableBuilder _ list: () -> [any Disposable]) -> Int {
        list().count
      }
      #expect(listed { flags[0] } == 1)
      bag.insert { flags[2] }
      #expect(!flags.contains(where: isDisposed))
      withExtendedLifetime(bag) {}
    }
    #expect(flags.allSatisfy(isDisposed))
    #expect(BooleanDisposable(isDisposed: true).isDisposed)
  }

  @Test func `recursive work is a loop, also on a scheduler that executes it in place`() {
    let log = Log<Int>()
    let schedulers: [any SchedulerType] = [
      CurrentThreadScheduler.instance.resolved, ConcurrentMainScheduler.instance,
    ]
    for scheduler in schedulers {
      _ = scheduler.scheduleRecursive(0) { count, again in
        if count == 50_000 { log.append(count) } else { again(count + 1) }
      }
    }
    #expect(log.entries == [50_000, 50_000])
  }

  @Test func `periodic work passes its state on, until it is disposed of`() {
    let scheduler = TestScheduler()
    let log = Log<Int>()
    let work = scheduler.schedulePeriodic(
      1, startAfter: .milliseconds(10), period: .milliseconds(20)
    ) { state in
      log.append(state)
      return state * 2
    }
    scheduler.scheduleAt(75) { work.dispose() }
    scheduler.start()
    #expect(log.entries == [1, 2, 4, 8])
  }

  @Test func `the checks of the main thread do nothing`() {
    MainScheduler.ensureExecutingOnScheduler(errorMessage: "unused")
    MainScheduler.ensureRunningOnMainThread()
  }
}
