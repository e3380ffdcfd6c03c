import ReactorStreams
import ReactorTesting
import StreamTestSupport
import Testing

@Suite struct DisposeInEmissionTests {
  @Test func `deferred drops an event for an observer that another one disposes of`() {
    let source = PublishSubject<Int>()
    let stream = Observable.deferred { source.asObservable() }
    let log = Log<Int>()
    let second = SingleAssignmentDisposable()
    let first = stream.subscribe(onNext: { element in
      log.append(element)
      second.dispose()
    })
    second.setDisposable(stream.subscribe(onNext: { log.append(-$0) }))
    source.onNext(1)
    #expect(log.entries == [1])
    first.dispose()
  }

  enum Path: String, CaseIterable, Sendable {
    case map, merge, flatMap, flatMapLatest, flatMapFirst, concatMap, scan, share, takeUntil,
      withLatestFrom, combineLatest, zip, create, `do`, debounce, retry, distinct

    func through(_ source: Observable<Int>, _ scheduler: TestScheduler) -> Observable<Int> {
      switch self {
      case .map: source.map { $0 }
      case .merge: .merge(source, .empty())
      case .flatMap: source.flatMap { .create(emitting: $0) }
      case .flatMapLatest: source.flatMapLatest { .create(emitting: $0) }
      case .flatMapFirst: source.flatMapFirst { .create(emitting: $0) }
      case .concatMap: source.concatMap { .create(emitting: $0) }
      case .scan: source.scan(0) { $1 }
      case .share: source.share(replay: 1).map { $0 }
      case .takeUntil: source.take(until: Observable<Int>.never())
      case .withLatestFrom: source.withLatestFrom(Observable.just(1)) { number, _ in number }
      case .combineLatest: .combineLatest(source, Observable.just(1)) { number, _ in number }
      case .zip: .zip(source, Observable.from(0..<100)) { number, _ in number }
      case .create: .create { observer in source.subscribe(observer) }
      case .do: source.do(onNext: { _ in })
      case .debounce: source.throttle(.zero, scheduler: scheduler)
      case .retry: source.retry()
      case .distinct: source.distinctUntilChanged()
      }
    }
  }

  @Test(arguments: Path.allCases)
  func `an observer that disposes of its subscription receives nothing more`(
    path: Path
  ) {
    let subject = PublishSubject<Int>()
    let subscription = SerialDisposable()
    let log = Log<Int>()
    subscription.disposable = path.through(subject.asObservable(), TestScheduler())
      .subscribe(
        onNext: { element in
          log.append(element)
          subject.onNext(element + 1)
          if element == 2 { subscription.dispose() }
        }, onDisposed: { log.append(-1) })
    subject.onNext(1)
    #expect(log.entries == [1, 2, -1])
    #expect(!subject.hasObservers)
  }

  @Test(arguments: Path.allCases)
  func `elements that an observer sends are delivered after it has returned`(path: Path) {
    let subject = PublishSubject<Int>()
    let log = Log<Int>()
    let subscription = path.through(subject.asObservable(), TestScheduler())
      .subscribe(onNext: { element in
        log.append(element)
        if element < 5 { subject.onNext(element + 1) }
        log.append(-element)
      })
    subject.onNext(1)
    #expect(log.entries == [1, -1, 2, -2, 3, -3, 4, -4, 5, -5])
    subscription.dispose()
    #expect(!subject.hasObservers)
  }

  @Test(arguments: Path.allCases)
  func `an error passes through, ends the subscription and disposes of the source`(path: Path) {
    guard path != .retry else { return }
    let subject = PublishSubject<Int>()
    let log = Log<String>()
    _ = path.through(subject.asObservable(), TestScheduler()).subscribe(
      onError: { log.append("\($0)") }, onDisposed: { log.append("disposed") })
    subject.onError(TestError.test)
    #expect(log.entries == ["TestError(test)", "disposed"])
  }

  /// The ways in which a subscription ends.
  enum End: CaseIterable, Sendable {
    case completed, failed, disposed
  }

  @Test(arguments: Path.allCases, End.allCases)
  func `captured objects are released when the subscription ends`(path: Path, end: End) {
    final class Token: Sendable {
      func touch() {}
    }
    guard path != .retry || end != .failed else { return }
    let subject = PublishSubject<Int>()
    weak var weakToken: Token?
    do {
      let token = Token()
      weakToken = token
      let subscription = path.through(subject.map { $0 }, TestScheduler())
        .subscribe(onNext: { _ in token.touch() })
      subject.onNext(1)
      switch end {
      case .completed: subject.onCompleted()
      case .failed: subject.onError(TestError.test)
      case .disposed: subscription.dispose()
      }
    }
    #expect(weakToken == nil)
  }
}
