import Dispatch

#if RXSWIFT
  import RxRelay
  import RxSwift
#else
  import ReactorRx
#endif

/// A chain of streams whose cost per event is measured.
///
/// The chains use only what RxSwift and this project declare in the same way, so that the same file is
/// compiled for both.
public struct StreamChain: Sendable {
  /// The name in tables and in counts.json.
  public let name: String

  /// The number of events of one measurement.
  public let count: Int

  /// Whether each event passes to another thread, so that its allocations are not exact.
  public let changesThread: Bool

  /// Creates the chain; the closure sends one event through it.
  public let make: @Sendable () -> (Int) -> Void

  private init(
    _ name: String, count: Int = 100_000, changesThread: Bool = false,
    _ make: @escaping @Sendable () -> (Int) -> Void
  ) {
    self.name = name
    self.count = count
    self.changesThread = changesThread
    self.make = make
  }

  /// All chains.
  public static let all = subjects + operators + combinations + subscriptions

  private static let subjects = [
    StreamChain("PublishSubject, 1 observer") {
      let source = PublishSubject<Int>()
      return sending(source.asObservable()) { source.onNext($0) }
    },
    StreamChain("PublishSubject, 1,000 observers", count: 1_000) {
      let source = PublishSubject<Int>()
      let shown = Tally()
      for _ in 0..<1_000 { _ = source.subscribe(onNext: { shown.note($0) }) }
      return { source.onNext($0) }
    },
    StreamChain("BehaviorSubject, 1 observer") {
      let source = BehaviorSubject(value: 0)
      return sending(source.asObservable()) { source.onNext($0) }
    },
    StreamChain("BehaviorRelay, 1 observer") {
      let source = BehaviorRelay(value: 0)
      return sending(source.asObservable()) { source.accept($0) }
    },
    StreamChain("ReplaySubject(1), 1 observer") {
      let source = ReplaySubject<Int>.create(bufferSize: 1)
      return sending(source.asObservable()) { source.onNext($0) }
    },
  ]

  private static let operators = [
    StreamChain("map.filter.scan") {
      let source = PublishSubject<Int>()
      return sending(source.map { $0 &+ 1 }.filter { $0 != 0 }.scan(0) { $0 &+ $1 }) {
        source.onNext($0)
      }
    },
    StreamChain("5 operators") {
      let source = PublishSubject<Int>()
      let result = source.map { $0 &+ 1 }.filter { $0 != 0 }.scan(0) { $0 &+ $1 }
        .distinctUntilChanged().map { $0 &* 2 }
      return sending(result) { source.onNext($0) }
    },
    StreamChain("share(replay: 1), 3 observers") {
      let source = PublishSubject<Int>()
      let shared = source.map { $0 &+ 1 }.share(replay: 1)
      let shown = Tally()
      for _ in 0..<3 { _ = shared.subscribe(onNext: { shown.note($0) }) }
      return { source.onNext($0) }
    },
    StreamChain("take(until:)") {
      let source = PublishSubject<Int>()
      return sending(source.take(until: Observable<Int>.never())) { source.onNext($0) }
    },
    StreamChain("observe(on:) a serial scheduler", count: 5_000, changesThread: true) {
      let source = PublishSubject<Int>()
      let delivered = DispatchSemaphore(value: 0)
      let scheduler = SerialDispatchQueueScheduler(internalSerialQueueName: "ping-pong")
      let subscription = source.observe(on: scheduler)
        .subscribe(onNext: { _ in delivered.signal() })
      return {
        source.onNext($0)
        delivered.wait()
        withExtendedLifetime(subscription) {}
      }
    },
  ]

  private static let combinations = [
    StreamChain("merge of 3") {
      let sources = (0..<3).map { _ in PublishSubject<Int>() }
      return sending(Observable.merge(sources.map { $0.asObservable() })) {
        sources[$0 % 3].onNext($0)
      }
    },
    StreamChain("combineLatest of 2") {
      let (first, second) = (PublishSubject<Int>(), PublishSubject<Int>())
      let send = sending(Observable.combineLatest(first, second) { $0 &+ $1 }) { first.onNext($0) }
      second.onNext(0)
      return send
    },
    StreamChain("combineLatest of 3") {
      let (first, second, third) = (
        PublishSubject<Int>(), PublishSubject<Int>(), PublishSubject<Int>()
      )
      let result = Observable.combineLatest(first, second, third) { $0 &+ $1 &+ $2 }
      let send = sending(result) { first.onNext($0) }
      second.onNext(0)
      third.onNext(0)
      return send
    },
    StreamChain("zip of 2") {
      let (first, second) = (PublishSubject<Int>(), PublishSubject<Int>())
      return sending(Observable.zip(first, second) { $0 &+ $1 }) {
        first.onNext($0)
        second.onNext($0)
      }
    },
    StreamChain("withLatestFrom") {
      let (source, other) = (PublishSubject<Int>(), BehaviorSubject(value: 1))
      return sending(source.withLatestFrom(other) { $0 &+ $1 }) { source.onNext($0) }
    },
    StreamChain("flatMap to just") {
      let source = PublishSubject<Int>()
      return sending(source.flatMap { Observable.just($0 &+ 1) }) { source.onNext($0) }
    },
    StreamChain("flatMapLatest, events of an inner subject") {
      let (outer, inner) = (PublishSubject<Int>(), PublishSubject<Int>())
      let send = sending(outer.flatMapLatest { _ in inner }) { inner.onNext($0) }
      outer.onNext(0)
      return send
    },
    StreamChain("flatMapLatest, switches between subjects") {
      let (outer, inner) = (PublishSubject<Int>(), PublishSubject<Int>())
      return sending(outer.flatMapLatest { _ in inner }) { outer.onNext($0) }
    },
  ]

  private static let subscriptions = [
    StreamChain("subscribe to a PublishSubject and dispose") {
      let source = PublishSubject<Int>()
      let shown = Tally()
      return { _ in source.subscribe(onNext: { shown.note($0) }).dispose() }
    },
    StreamChain("subscribe to a BehaviorSubject and dispose") {
      let source = BehaviorSubject(value: 1)
      let shown = Tally()
      return { _ in source.subscribe(onNext: { shown.note($0) }).dispose() }
    },
    StreamChain("subscribe to just.map") {
      let source = Observable.just(1).map { $0 &+ 1 }
      let shown = Tally()
      return { _ in _ = source.subscribe(onNext: { shown.note($0) }) }
    },
    StreamChain("subscribe to of(1...10).map") {
      let source = Observable.of(1, 2, 3, 4, 5, 6, 7, 8, 9, 10).map { $0 &+ 1 }
      let shown = Tally()
      return { _ in _ = source.subscribe(onNext: { shown.note($0) }) }
    },
    StreamChain("subscribe to concat of 3") {
      let source = Observable.concat(Observable.just(1), Observable.just(2), Observable.just(3))
      let shown = Tally()
      return { _ in _ = source.subscribe(onNext: { shown.note($0) }) }
    },
    StreamChain("subscribe to create") {
      let source = Observable<Int>.create { observer in
        observer.onNext(1)
        observer.onCompleted()
        return Disposables.create()
      }
      let shown = Tally()
      return { _ in _ = source.subscribe(onNext: { shown.note($0) }) }
    },
  ]

  /// Subscribes to the end of a chain.
  private static func sending(
    _ stream: Observable<Int>, _ send: @escaping (Int) -> Void
  ) -> (Int) -> Void {
    let shown = Tally()
    let subscription = stream.subscribe(onNext: { shown.note($0) })
    return {
      send($0)
      withExtendedLifetime(subscription) {}
    }
  }
}

/// The smallest amount of work of an observer that the optimizer does not remove.
private final class Tally: Sendable {
  // Proof: each measurement sends and observes on a single thread.
  nonisolated(unsafe) private var sum = 0

  @inline(never)
  func note(_ value: Int) {
    sum &+= value
  }
}
