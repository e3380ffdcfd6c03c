import ReactorRx
import ReactorTesting
import StreamTestSupport
import Testing

@Suite(.ownSerialContext) struct TraitTests {
  private final class Owner: Sendable {}

  @Test func `a maybe and a completable have an awaitable value`() async throws {
    #expect(try await Maybe.just(1).value == 1)
    #expect(try await Maybe<Int>.empty().value == nil)
    try await Completable.empty().value
    await #expect(throws: TestError.test) { try await Completable.error(TestError.test).value }
  }

  @Test func `a completable is created from the result of work`() {
    let log = Log<String>()
    let created: [PrimitiveSequence<CompletableTrait, Never>] = [
      .create { (observe: @escaping Completable.CompletableObserver) in
        observe(CompletableEvent.completed)
        return Disposables.create()
      },
      .create { observe in
        observe(.error(TestError.test))
        return Disposables.create()
      },
    ]
    let owner = Owner()
    for completable in created {
      _ = completable.subscribe { log.append("\($0)") }
      _ = completable.subscribe(
        with: owner, onCompleted: { _ in log.append("done") },
        onError: { _, _ in log.append("failed") })
    }
    #expect(log.entries == ["completed", "done", "error(TestError(test))", "failed"])
  }

  @Test func `closures are called at the events of a maybe and a completable`() {
    let log = Log<String>()
    let maybe: PrimitiveSequence<MaybeTrait, Int> = .just(1)
    _ = maybe.do(
      onNext: { log.append("next \($0)") }, onCompleted: { log.append("completed") },
      onSubscribe: { log.append("subscribe") }, onDispose: { log.append("dispose") }
    ).subscribe(onSuccess: { log.append("success \($0)") })
    #expect(log.entries.starts(with: ["subscribe", "next 1", "success 1"]))
    #expect(log.entries.contains("dispose"))
    let other = Log<String>()
    _ = Completable.empty().do(
      onCompleted: { other.append("before") }, afterCompleted: { other.append("after") }
    ).subscribe(onCompleted: { other.append("completed") })
    #expect(other.entries == ["before", "completed", "after"])
  }

  @Test func `a maybe passes its result to an object that it does not retain`() {
    let log = Log<String>()
    let owner = Owner()
    let observe: (MaybeEvent<Int>) -> Void = { log.append("\($0)") }
    observe(.success(0))
    _ = Maybe<Int>.create { (observe: @escaping Maybe<Int>.MaybeObserver) in
      observe(.completed)
      return Disposables.create()
    }.subscribe(with: owner, onCompleted: { _ in log.append("none") })
    _ = Maybe.just(2).subscribe(with: owner, onSuccess: { log.append("\($1)") })
    #expect(log.entries == ["success(0)", "none", "2"])
  }

  @Test func `compactMap and filter of a single are a maybe, and ifEmpty has another maybe`() throws
  {
    func elements(_ stream: some ObservableConvertibleType<Int>) throws -> [Int] {
      try stream.asObservable().toBlocking().toArray()
    }
    #expect(try elements(Single.just(1).compactMap { $0 > 1 ? $0 : nil }) == [])
    #expect(try elements(Single.just(2).compactMap { $0 > 1 ? $0 * 2 : nil }) == [4])
    #expect(try elements(Maybe<Int>.empty().ifEmpty(switchTo: Maybe.just(3))) == [3])
    #expect(try elements(Completable.empty().andThen(Maybe.just(5))) == [5])
    #expect(try elements(Completable.empty().concat(.empty()).andThen(Single.just(6))) == [6])
    #expect(throws: TestError.test) {
      try Completable.empty().andThen(Completable.error(TestError.test)).asObservable()
        .toBlocking().toArray()
    }
  }

  @Test func `a group has a key, and is a stream of its own`() throws {
    let groups: [GroupedObservable<Int, String>] = [
      GroupedObservable(key: 1, source: .of("a", "b")), GroupedObservable(key: 2, source: .empty()),
    ]
    #expect(groups.map(\.key) == [1, 2])
    #expect(try groups[0].asObservable().toBlocking().toArray() == ["a", "b"])
    #expect(try groups[1].toBlocking().toArray() == [])
  }

  @Test func `a resource is disposed of after its last use`() {
    let log = Log<String>()
    let counted = RefCountDisposable(disposable: Disposables.create { log.append("disposed") })
    let (first, second) = (counted.retain(), counted.retain())
    counted.dispose()
    first.dispose()
    first.dispose()
    #expect(log.entries.isEmpty)
    #expect(!counted.isDisposed)
    second.dispose()
    #expect(log.entries == ["disposed"])
    #expect(counted.isDisposed)
    counted.retain().dispose()
    #expect(log.entries == ["disposed"])
  }

  @Test func `any connectable stream connects with its first observer`() {
    func observed(_ stream: some ConnectableObservableType<Int>) -> [Int] {
      let log = Log<Int>()
      _ = stream.refCount().subscribe(onNext: log.append)
      return log.entries
    }
    #expect(observed(Observable.of(1, 2).publish()) == [1, 2])
  }

  @Test func `a signal is created, combined and observed as a shared sequence`() {
    let log = Log<String>()
    let owner = Owner()
    let signal: Signal<Int> = .of(1, 2)
    let typed: SharedSequence<SignalSharingStrategy, Int> = signal.asSignal()
    let optional = BehaviorRelay<Int?>(value: nil)
    let behind = BehaviorSubject(value: 0)
    _ = typed.emit(with: owner, onNext: { log.append("\($0 === owner) \($1)") })
    _ = typed.emit(to: optional)
    _ = typed.emit(to: behind)
    #expect(log.entries == ["true 1", "true 2"])
    #expect(optional.value == 2)
    _ = ControlEvent(events: Observable.of(3)).asSignal().emit(onNext: { log.append("\($0)") })
    #expect(log.entries.last == "3")
  }
}
