import ReactorStreams
import ReactorTesting
import StreamTestSupport
import Testing

@Suite(.ownSerialContext) struct DriverTests {
  let scheduler = TestScheduler()

  /// Two observers that overlap and a later one.
  func observe(_ shared: Observable<Int>) -> [TestableObserver<Int>] {
    [(200, 235), (225, 260), (260, 285)].map {
      scheduler.record(shared, from: $0.0, until: $0.1)
    }
  }

  func source() -> TestableObservable<Int> {
    scheduler.createColdObservable([
      .next(10, 0), .next(20, 1), .next(30, 2), .next(40, 3), .error(50),
    ])
  }

  @Test func `a driver shares, replays the latest element and replaces an error`() {
    let source = source()
    let observers = observe(source.asDriver(onErrorJustReturn: -1).asObservable())
    scheduler.start()
    #expect(observers[0].events == [.next(210, 0), .next(220, 1), .next(230, 2)])
    #expect(
      observers[1].events == [
        .next(225, 1), .next(230, 2), .next(240, 3), .next(250, -1), .completed(250),
      ])
    #expect(observers[2].events == [.next(270, 0), .next(280, 1)])
    #expect(source.subscriptions == [Subscription(200, 250), Subscription(260, 285)])
  }

  @Test(arguments: [true, false])
  func `a driver recovers with another, and two observers share one subscription`(
    hasElement: Bool
  ) {
    let source = scheduler.createHotObservable([.next(210, 1), .next(220, 2), .error(230)])
    let driver =
      hasElement
      ? source.asDriver(onErrorDriveWith: .just(-1))
      : source.asDriver { _ in .empty() }
    let first = scheduler.record(driver, from: 200)
    let second = scheduler.record(driver.map { $0 }, from: 200)
    scheduler.start()
    #expect(first.elements == (hasElement ? [1, 2, -1] : [1, 2]))
    #expect(first.events.last == .completed(230))
    #expect(second.events == first.events)
    #expect(source.subscriptions == [Subscription(200, 230)])
  }

  @Test func `a driver uses the time of the session's context`() {
    let source = scheduler.createHotObservable([
      .next(210, 1), .next(215, 2), .next(300, 3), .completed(310),
    ])
    let driver = source.asDriver(onErrorJustReturn: 0)
    let debounced = scheduler.record(driver.debounce(.milliseconds(20)), from: 200)
    let throttled = scheduler.record(driver.throttle(.milliseconds(20)), from: 200)
    let delayed = scheduler.record(driver.delay(.milliseconds(20)), from: 200)
    scheduler.start()
    #expect(debounced.events == [.next(235, 2), .next(310, 3), .completed(310)])
    #expect(
      throttled.events == [.next(210, 1), .next(230, 2), .next(300, 3), .completed(310)])
    #expect(
      delayed.events == [.next(230, 1), .next(235, 2), .next(320, 3), .completed(330)])
  }

  @Test func `the operators of a driver`() {
    let log = Log<String>()
    let relay = BehaviorRelay(value: 1)
    let other = BehaviorRelay(value: 10)
    let driver = relay.asDriver()
    let bag = DisposeBag()
    driver.map { $0 + 1 }.drive(onNext: { log.append("map \($0)") }).disposed(by: bag)
    driver.filter { $0 > 1 }.drive(onNext: { log.append("filter \($0)") }).disposed(by: bag)
    driver.scan(0) { $0 + $1 }.drive(onNext: { log.append("scan \($0)") }).disposed(by: bag)
    driver.distinctUntilChanged().skip(1).drive(onNext: { log.append("new \($0)") })
      .disposed(by: bag)
    driver.flatMapLatest { number in other.asDriver().map { number + $0 } }
      .drive(onNext: { log.append("latest \($0)") }).disposed(by: bag)
    Driver.combineLatest(driver, other.asDriver())
      .drive(onNext: { log.append("both \($0.0 + $0.1)") }).disposed(by: bag)
    #expect(log.entries == ["map 2", "scan 1", "latest 11", "both 11"])
    relay.accept(2)
    #expect(
      log.entries.dropFirst(4) == ["map 3", "filter 2", "scan 3", "new 2", "both 12", "latest 12"])
  }

  @Test func `a driver drives observers, relays and binders`() {
    let source = BehaviorRelay(value: 1)
    let relay = BehaviorRelay(value: 0)
    let optional = BehaviorRelay<Int?>(value: nil)
    let subject = ReplaySubject<Int>.create(bufferSize: 1)
    let bag = DisposeBag()
    source.asDriver().drive(relay).disposed(by: bag)
    source.asDriver().drive(optional).disposed(by: bag)
    source.asDriver().drive(subject).disposed(by: bag)
    source.accept(2)
    #expect(relay.value == 2)
    #expect(optional.value == 2)
    #expect(source.asDriver().drive { _ in "handed over" } == "handed over")
  }
}
