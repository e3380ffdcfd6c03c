import ReactorCore
import ReactorTesting
import Testing

// Trackers in the form that apps have: classes that convert to a driver and wrap a stream in a resource.
// Proof: each test uses its trackers on one thread.
private final class LoadingTracker: SharedSequenceConvertibleType, @unchecked Sendable {
  typealias Element = Bool
  typealias SharingStrategy = DriverSharingStrategy

  private let count = BehaviorRelay(value: 0)
  private let loading: SharedSequence<SharingStrategy, Bool>

  init() {
    loading = count.asDriver().map { $0 > 0 }.distinctUntilChanged()
  }

  func track<Source: ObservableConvertibleType>(_ source: Source) -> Observable<Source.Element> {
    Observable.using({ () -> Token in
      self.count.accept(self.count.value + 1)
      return Token { self.count.accept(self.count.value - 1) }
    }) { _ in source.asObservable() }
  }

  func asSharedSequence() -> SharedSequence<SharingStrategy, Element> {
    loading
  }

  private struct Token: Disposable {
    let disposable: any Disposable

    init(_ dispose: @escaping @Sendable () -> Void) {
      disposable = Disposables.create(with: dispose)
    }

    func dispose() {
      disposable.dispose()
    }
  }
}

private final class ErrorTracker: SharedSequenceConvertibleType {
  typealias SharingStrategy = DriverSharingStrategy
  typealias Element = any Error

  private let errors = PublishSubject<any Error>()

  func track<Source: ObservableConvertibleType>(_ source: Source) -> Observable<Source.Element> {
    source.asObservable().do(onError: { self.errors.onNext($0) })
  }

  func asSharedSequence() -> SharedSequence<SharingStrategy, any Error> {
    errors.asObservable().asDriver(onErrorDriveWith: .empty())
  }

  deinit {
    errors.onCompleted()
  }
}

@Suite(.ownSerialContext) struct TrackerTests {
  @Test func `a tracker reports whether a request is active`() {
    let tracker = LoadingTracker()
    let request = PublishSubject<Int>()
    let states = Record<Bool>()
    let bag = DisposeBag()
    tracker.map { $0 }.drive(onNext: { states.append($0) }).disposed(by: bag)
    tracker.track(request).subscribe().disposed(by: bag)
    request.onNext(1)
    request.onCompleted()
    #expect(states.entries == [false, true, false])
  }

  @Test func `a tracker reports the errors of requests`() {
    let tracker = ErrorTracker()
    let errors = Record<String>()
    let bag = DisposeBag()
    tracker.asDriver().drive(onNext: { errors.append("\($0)") }).disposed(by: bag)
    tracker.track(Observable<Int>.error(TestError("offline"))).catchAndReturn(0).subscribe()
      .disposed(by: bag)
    #expect(errors.entries == ["TestError(offline)"])
  }
}

/// Entries in order.
// Proof: each test uses its record on one thread.
private final class Record<Entry>: @unchecked Sendable {
  private(set) var entries: [Entry] = []

  func append(_ entry: Entry) {
    entries.append(entry)
  }
}
