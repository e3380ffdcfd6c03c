#if RXSWIFT
  import RxSwift
  import RxTest
#else
  import ReactorRx
  import ReactorTesting
#endif

/// A chain of random operators over random sources, and its events in virtual time.
///
/// The number of the chain determines both. The operators are those that RxSwift and this project declare in the
/// same way, so that the events are compared.
struct RandomChain {
  private enum Failure: Error { case failed }

  private typealias Stream = (name: String, events: Observable<Int>)

  private let number: UInt64
  private var random: SplitMix
  private let scheduler: TestScheduler

  /// Creates the chain with a number.
  init(_ number: UInt64) {
    self.number = number
    random = SplitMix(state: number)
    #if RXSWIFT
      scheduler = TestScheduler(initialClock: 0, resolution: 0.001)
    #else
      scheduler = TestScheduler(initialClock: 0)
    #endif
  }

  /// The number, the operators and the events, separated by tabs.
  mutating func line() -> String {
    let chain = stream(depth: 1 + below(4))
    let observer = scheduler.createObserver(Int.self)
    let subscription = SerialDisposable()
    scheduler.scheduleAt(200) { subscription.disposable = chain.events.subscribe(observer) }
    // Timers of operators would not end.
    scheduler.scheduleAt(900) { subscription.dispose() }
    scheduler.start()
    let events = observer.events.map { event in
      switch event.value {
      case .next(let element): "\(element)@\(event.time)"
      case .error: "error@\(event.time)"
      case .completed: "completed@\(event.time)"
      }
    }
    return "\(number)\t\(chain.name)\t\(events.joined(separator: " "))"
  }

  private mutating func stream(depth: Int) -> Stream {
    guard depth > 0 else { return source() }
    switch below(10) {
    case 0..<4: return transformed(stream(depth: depth - 1))
    case 4..<6: return timed(stream(depth: depth - 1))
    case 6..<8: return combined(stream(depth: depth - 1), stream(depth: depth - 1))
    default: return flattened(stream(depth: depth - 1))
    }
  }

  private mutating func source() -> Stream {
    switch below(8) {
    case 0: return ("just", .just(below(5)))
    case 1: return ("of", .of(1, 2, 3))
    case 2: return ("empty", .empty())
    case 3: return ("range", .range(start: 0, count: below(4)))
    case 4, 5:
      let recorded = events(from: 190, until: 320)
      return ("hot", scheduler.createHotObservable(recorded).asObservable())
    default: return ("cold", cold())
    }
  }

  private mutating func cold() -> Observable<Int> {
    scheduler.createColdObservable(events(from: 5, until: 80)).asObservable()
  }

  /// Up to five elements at times that often coincide with those of other sources, and mostly an end.
  private mutating func events(from start: Int, until end: Int) -> [Recorded<Event<Int>>] {
    var events: [Recorded<Event<Int>>] = []
    var time = start
    for _ in 0..<below(6) where time < end {
      events.append(.next(time, below(5)))
      time += 5 * (1 + below(6))
    }
    switch below(6) {
    case 0: events.append(.error(time, Failure.failed))
    case 1: break
    default: events.append(.completed(time))
    }
    return events
  }

  private mutating func transformed(_ source: Stream) -> Stream {
    let (name, stream) = source
    let number = below(4)
    switch below(24) {
    case 0: return ("\(name).map", stream.map { $0 + number })
    case 1: return ("\(name).filter", stream.filter { $0 % 2 == number % 2 })
    case 2: return ("\(name).scan", stream.scan(0) { $0 + $1 })
    case 3: return ("\(name).distinct", stream.distinctUntilChanged())
    case 4: return ("\(name).take(\(number))", stream.take(number))
    case 5: return ("\(name).skip(\(number))", stream.skip(number))
    case 6: return ("\(name).takeLast(\(number))", stream.takeLast(number))
    case 7: return ("\(name).take(while:)", stream.take(while: { $0 < number }))
    case 8: return ("\(name).skip(while:)", stream.skip(while: { $0 < number }))
    case 9: return ("\(name).startWith", stream.startWith(number))
    case 10: return ("\(name).reduce", stream.reduce(0) { $0 + $1 })
    case 11: return ("\(name).catchAndReturn", stream.catchAndReturn(number))
    case 12: return ("\(name).retry(2)", stream.retry(2))
    case 13: return ("\(name).materialize", stream.materialize().dematerialize())
    case 14: return ("\(name).element(at:\(number))", stream.element(at: number))
    case 15: return ("\(name).ifEmpty", stream.ifEmpty(default: number))
    case 16: return ("\(name).toArray", stream.toArray().asObservable().map { $0.count })
    case 17: return ("\(name).share", stream.share(replay: number))
    case 18: return ("\(name).enumerated", stream.enumerated().map { $0.index * 10 + $0.element })
    case 19: return ("\(name).single", stream.single { $0 == number })
    case 20: return ("\(name).compactMap", stream.compactMap { $0 == number ? nil : $0 })
    case 21: return ("\(name).groupBy", stream.groupBy { $0 % 2 }.flatMap { $0.take(2) })
    case 22: return ("\(name).ignoreElements", stream.filter { _ in false })
    default:
      return (
        "\(name).map(throwing)",
        stream.map { element in
          if element == number { throw Failure.failed }
          return element
        }
      )
    }
  }

  private mutating func timed(_ source: Stream) -> Stream {
    let (name, stream) = source
    let ticks = 5 * (1 + below(5))
    let time: RxTimeInterval = .milliseconds(ticks)
    switch below(10) {
    case 0: return ("\(name).debounce(\(ticks))", stream.debounce(time, scheduler: scheduler))
    case 1: return ("\(name).throttle(\(ticks))", stream.throttle(time, scheduler: scheduler))
    case 2:
      return (
        "\(name).throttle(first \(ticks))",
        stream.throttle(time, latest: false, scheduler: scheduler)
      )
    case 3: return ("\(name).delay(\(ticks))", stream.delay(time, scheduler: scheduler))
    case 4:
      return (
        "\(name).delaySubscription(\(ticks))", stream.delaySubscription(time, scheduler: scheduler)
      )
    case 5: return ("\(name).timeout(\(ticks))", stream.timeout(time, scheduler: scheduler))
    case 6: return ("\(name).take(for:\(ticks))", stream.take(for: time, scheduler: scheduler))
    case 7:
      return (
        "\(name).buffer(\(ticks))",
        stream.buffer(timeSpan: time, count: 2, scheduler: scheduler).map { $0.count }
      )
    case 8: return ("\(name).observe(on:)", stream.observe(on: scheduler))
    default: return ("\(name).subscribe(on:)", stream.subscribe(on: scheduler))
    }
  }

  private mutating func combined(_ first: Stream, _ second: Stream) -> Stream {
    let name = "(\(first.name), \(second.name))"
    let (left, right) = (first.events, second.events)
    switch below(10) {
    case 0: return ("merge\(name)", .merge(left, right))
    case 1: return ("concat\(name)", left.concat(right))
    case 2: return ("combineLatest\(name)", .combineLatest(left, right) { $0 * 10 + $1 })
    case 3: return ("zip\(name)", .zip(left, right) { $0 * 10 + $1 })
    case 4: return ("withLatestFrom\(name)", left.withLatestFrom(right) { $0 * 10 + $1 })
    case 5: return ("amb\(name)", left.amb(right))
    case 6: return ("sample\(name)", left.sample(right))
    case 7: return ("take(until:)\(name)", left.take(until: right))
    case 8: return ("skip(until:)\(name)", left.skip(until: right))
    default: return ("catch\(name)", left.catch { _ in right })
    }
  }

  private mutating func flattened(_ source: Stream) -> Stream {
    let (name, stream) = source
    let inner: [Observable<Int>] = [cold(), .of(7, 8), .just(9), cold()]
    let choose: @Sendable (Int) -> Observable<Int> = { inner[abs($0) % inner.count] }
    switch below(5) {
    case 0: return ("\(name).flatMap", stream.flatMap(choose))
    case 1: return ("\(name).flatMapLatest", stream.flatMapLatest(choose))
    case 2: return ("\(name).flatMapFirst", stream.flatMapFirst(choose))
    case 3: return ("\(name).concatMap", stream.concatMap(choose))
    default: return ("\(name).merge(maxConcurrent:)", stream.map(choose).merge(maxConcurrent: 2))
    }
  }

  private mutating func below(_ limit: Int) -> Int {
    Int(random.next() % UInt64(limit))
  }
}

/// SplitMix64: the same numbers on every system.
private struct SplitMix {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
