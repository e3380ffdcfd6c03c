import ReactorStreams
import ReactorTesting
import StreamTestSupport
import Synchronization
import Testing

// Streams as authors of iOS apps write them; that this file compiles is part of the test.

private struct Repository: Equatable, Sendable {
  let name: String
}

private struct SearchService: Sendable {
  func search(_ text: String) -> Single<[Repository]> {
    text.isEmpty ? .error(RxError.noElements) : .just([Repository(name: text)])
  }
}

private enum Mutation: Equatable, Sendable {
  case setQuery(String)
  case setRepositories([Repository])
  case setLoading(Bool)
}

private final class SearchBar: ReactiveCompatible, Sendable {
  let typed = BehaviorSubject<String?>(value: nil)
}

extension Reactive where Base: SearchBar {
  fileprivate var text: ControlProperty<String?> {
    ControlProperty(values: base.typed, valueSink: base.typed)
  }
}

@Suite(.ownSerialContext) struct SourceCompatibilityTests {
  private func mutate(_ query: String, until cancel: Observable<Void>) -> Observable<Mutation> {
    let service = SearchService()
    return Observable.concat([
      Observable.just(Mutation.setLoading(true)),
      .just(.setQuery(query)),
      service.search(query)
        .asObservable()
        .take(until: cancel)
        .map(Mutation.setRepositories)
        .catchErrorJustReturn(.setRepositories([])),
      Observable.just(Mutation.setLoading(false)),
    ])
  }

  @Test func `a search as a reactor writes it`() {
    let bar = SearchBar()
    let cancel = PublishRelay<Void>()
    let log = Log<Mutation>()
    let bag = DisposeBag()
    bar.rx.text.orEmpty
      .distinctUntilChanged()
      .skip(1)
      .observe(on: MainScheduler.instance)
      .flatMapLatest { query in self.mutate(query, until: cancel.asObservable()) }
      .share(replay: 1, scope: .whileConnected)
      .subscribe(onNext: { log.append($0) })
      .disposed(by: bag)
    bar.typed.onNext("swift")
    bar.typed.onNext("swift")
    bar.typed.onNext("")
    #expect(
      log.entries == [
        .setLoading(true), .setQuery("swift"), .setRepositories([Repository(name: "swift")]),
        .setLoading(false), .setLoading(true), .setQuery(""), .setRepositories([]),
        .setLoading(false),
      ])
  }

  @Test func `a bar that is debounced in virtual time`() {
    let scheduler = TestScheduler()
    let typed = scheduler.createHotObservable([
      .next(210, "s"), .next(220, "sw"), .next(600, "swift"),
    ])
    let result = scheduler.start {
      typed
        .throttle(.milliseconds(300), latest: true, scheduler: MainScheduler.instance)
        .flatMapLatest { text -> Observable<[Repository]> in
          SearchService().search(text).asObservable()
        }
        .map { $0.map(\.name) }
        .do(onNext: { _ in })
        .asDriver(onErrorJustReturn: [])
    }
    #expect(result.events == [.next(210, ["s"]), .next(510, ["sw"]), .next(810, ["swift"])])
  }

  @Test func `cold sources as iOS files make them`() {
    let log = Log<String>()
    let bag = DisposeBag()
    Observable<Int>.create { observer in
      observer.onNext(1)
      observer.on(.completed)
      return Disposables.create()
    }
    .withLatestFrom(Observable.of("a", "b")) { ($0, $1) }
    .map { number, text in "\(number)\(text)" }
    .subscribe(
      onNext: { log.append($0) },
      onCompleted: { log.append("completed") }
    )
    .disposed(by: bag)
    Observable.combineLatest(Observable.of(1), Observable.just("x")) { "\($0)\($1)" }
      .subscribe { event in if case .next(let text) = event { log.append(text) } }
      .disposed(by: bag)
    #expect(log.entries == ["completed", "1x"])
  }
}
