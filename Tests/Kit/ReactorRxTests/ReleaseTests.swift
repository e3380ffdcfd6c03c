import ReactorRx
import ReactorTesting
import Testing

/// An object that the closures of an operator capture.
private final class Probe: Sendable {
  func pass<Value>(_ value: Value) -> Value {
    value
  }
}

/// The ways in which a subscription ends.
private enum Ending: CaseIterable, Sendable {
  case disposal, completion, error
}

/// An operator whose closures capture a probe.
private struct Operator: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let apply: @Sendable (Observable<Int>, Probe) -> Observable<Int>

  init(
    _ name: String, _ apply: @escaping @Sendable (Observable<Int>, Probe) -> Observable<Int>
  ) {
    testDescription = name
    self.apply = apply
  }

  static let all = [
    Operator("subscribe") { source, _ in source },
    Operator("map") { source, probe in source.map { probe.pass($0) } },
    Operator("compactMap") { source, probe in source.compactMap { probe.pass($0) } },
    Operator("filter") { source, probe in source.filter { probe.pass($0) > 0 } },
    Operator("scan") { source, probe in source.scan(0) { probe.pass($0 + $1) } },
    Operator("reduce") { source, probe in source.reduce(0) { probe.pass($0 + $1) } },
    Operator("take(while:)") { source, probe in source.take(while: { probe.pass($0) > 0 }) },
    Operator("take(until:)") { source, probe in source.take(until: never(probe)) },
    Operator("skip(while:)") { source, probe in source.skip(while: { probe.pass($0) < 0 }) },
    Operator("skip(until:)") { source, probe in source.skip(until: never(probe)) },
    Operator("distinctUntilChanged") { source, probe in
      source.distinctUntilChanged { probe.pass($0) == $1 }
    },
    Operator("do") { source, probe in source.do(onNext: { _ = probe.pass($0) }) },
    Operator("single") { source, probe in source.single { probe.pass($0) > 0 } },
    Operator("ifEmpty") { source, probe in source.ifEmpty(switchTo: never(probe)) },
    Operator("flatMap") { source, probe in source.flatMap { probe.inner($0) } },
    Operator("flatMapLatest") { source, probe in source.flatMapLatest { probe.inner($0) } },
    Operator("flatMapFirst") { source, probe in source.flatMapFirst { probe.inner($0) } },
    Operator("concatMap") { source, probe in source.concatMap { probe.inner($0) } },
    Operator("merge") { source, probe in .merge(source, never(probe).take(until: source)) },
    Operator("concat") { source, probe in source.concat(Observable.deferred { probe.inner(1) })
    },
    Operator("combineLatest") { source, probe in
      .combineLatest(source, source) { probe.pass($0 + $1) }
    },
    Operator("zip") { source, probe in .zip(source, source) { probe.pass($0 + $1) } },
    Operator("withLatestFrom") { source, probe in
      source.withLatestFrom(source) { probe.pass($0 + $1) }
    },
    Operator("amb") { source, probe in source.amb(never(probe)) },
    Operator("sample") { source, probe in source.sample(source.map { probe.pass($0) }) },
    Operator("groupBy") { source, probe in source.groupBy { probe.pass($0) }.merge() },
    Operator("materialize") { source, probe in
      source.map { probe.pass($0) }.materialize().dematerialize()
    },
    Operator("catch") { source, probe in source.catch { throw probe.pass($0) } },
    Operator("retry(when:)") { source, probe in
      source.retry { (errors: Observable<any Error>) in errors.map { throw probe.pass($0) } }
    },
    Operator("debounce") { source, probe in
      source.map { probe.pass($0) }.debounce(.seconds(1), scheduler: VirtualTimeScheduler())
    },
    Operator("throttle") { source, probe in
      source.map { probe.pass($0) }
        .throttle(.seconds(1), latest: false, scheduler: VirtualTimeScheduler())
    },
    Operator("timeout") { source, probe in
      source.map { probe.pass($0) }
        .timeout(.seconds(1), other: never(probe), scheduler: VirtualTimeScheduler())
    },
    Operator("buffer") { source, probe in
      source.buffer(timeSpan: .seconds(1), count: 2, scheduler: VirtualTimeScheduler())
        .map { probe.pass($0.count) }
    },
    Operator("window") { source, probe in
      source.window(timeSpan: .seconds(1), count: 2, scheduler: VirtualTimeScheduler())
        .flatMap { $0.map { probe.pass($0) } }
    },
    Operator("share") { source, probe in source.map { probe.pass($0) }.share(replay: 1) },
    Operator("refCount") { source, probe in source.map { probe.pass($0) }.publish().refCount() },
    Operator("multicast") { source, probe in
      source.multicast({ PublishSubject<Int>() }, selector: { $0.map { probe.pass($0) } })
    },
    Operator("using") { source, probe in
      .using({ Disposables.action { _ = probe } }, observableFactory: { _ in source })
    },
    Operator("create") { source, probe in
      .create { observer in source.map { probe.pass($0) }.subscribe(observer) }
    },
    Operator("deferred") { source, probe in .deferred { source.map { probe.pass($0) } } },
    Operator("asDriver") { source, probe in
      source.asDriver(onErrorRecover: { _ in .just(probe.pass(0)) }).asObservable()
    },
    Operator("asSingle") { source, probe in
      source.take(1).asSingle().map { probe.pass($0) }.asObservable()
    },
    Operator("asInfallible") { source, probe in
      source.asInfallible(onErrorJustReturn: 0).map { probe.pass($0) }.asObservable()
    },
    Operator("withUnretained") { source, probe in
      source.withUnretained(source) { probe.pass($1) }
    },
  ]

  private static func never(_ probe: Probe) -> Observable<Int> {
    .never().map { probe.pass($0) }
  }
}

extension Probe {
  fileprivate func inner(_ value: Int) -> Observable<Int> {
    .deferred { .just(self.pass(value)) }
  }
}

extension Disposables {
  fileprivate static func action(_ body: @escaping @Sendable () -> Void) -> BinaryDisposable {
    BinaryDisposable(action: create(with: body))
  }
}

private struct BinaryDisposable: Disposable {
  let action: any Disposable

  func dispose() {
    action.dispose()
  }
}

@Suite(.ownSerialContext) struct ReleaseTests {
  @Test(arguments: Operator.all, Ending.allCases)
  fileprivate func `a subscription that has ended retains none of its closures`(
    _ tested: Operator, _ ending: Ending
  ) {
    let source = PublishSubject<Int>()
    weak var ofOperator: Probe?
    weak var ofSubscriber: Probe?
    let subscription: any Disposable
    do {
      let probe = Probe()
      let captured = Probe()
      ofOperator = probe
      ofSubscriber = captured
      subscription = tested.apply(source.asObservable(), probe).subscribe(
        onNext: { _ = captured.pass($0) }, onError: { _ = captured.pass($0) },
        onDisposed: { _ = captured })
    }
    #expect(ofSubscriber != nil, "the subscription retains its closures while it is active")
    source.onNext(1)
    source.onNext(2)
    switch ending {
    case .disposal: subscription.dispose()
    case .completion: source.onCompleted()
    case .error: source.onError(TestError.test)
    }
    #expect(ofOperator == nil)
    #expect(ofSubscriber == nil)
    withExtendedLifetime(subscription) {}
  }

  @Test func `an object that stores its own subscription is released when the stream ends`() {
    final class Owner: Sendable {
      let subscription = SerialDisposable()
    }
    let source = PublishSubject<Int>()
    weak var released: Owner?
    do {
      let owner = Owner()
      released = owner
      owner.subscription.disposable = source.map { $0 + 1 }.subscribe(onNext: { _ in
        withExtendedLifetime(owner) {}
      })
    }
    #expect(released != nil)
    source.onCompleted()
    #expect(released == nil)
  }

  @Test func `an observer is released when the stream ends`() {
    let source = PublishSubject<Int>()
    weak var released: Probe?
    let subscription: any Disposable
    do {
      let probe = Probe()
      released = probe
      subscription = source.map { $0 }.subscribe(AnyObserver<Int> { _ in _ = probe.pass(0) })
    }
    #expect(released != nil)
    source.onCompleted()
    #expect(released == nil)
    withExtendedLifetime(subscription) {}
  }
}
