import ReactorStreams
import ReactorTesting
import StreamTestSupport
import Testing

@Suite struct CombineLatestTests {
  let scheduler = TestScheduler()

  @Test func `combineLatest emits when one emits and all have emitted`() {
    let first = scheduler.createHotObservable([
      .next(150, 1), .next(215, 2), .next(235, 4), .completed(240),
    ])
    let second = scheduler.createHotObservable([
      .next(150, 1), .next(220, 3), .next(225, 5), .completed(230),
    ])
    let result = scheduler.start { Observable.combineLatest(first, second) { $0 * 10 + $1 } }
    #expect(
      result.events == [.next(220, 23), .next(225, 25), .next(235, 45), .completed(240)])
    #expect(first.subscriptions == [Subscription(200, 240)])
    #expect(second.subscriptions == [Subscription(200, 230)])
  }

  @Test func `an element that nothing can be combined with completes the stream`() {
    let first = scheduler.createHotObservable([Recorded<Event<Int>>.completed(210)])
    let second = scheduler.createHotObservable([.next(215, 2), .completed(220)])
    let result = scheduler.start { Observable.combineLatest(first, second) { $0 + $1 } }
    #expect(result.events == [.completed(215)])
  }

  @Test func `an error fails the stream and disposes of all sources`() {
    let first = scheduler.createHotObservable([.next(210, 1), .error(220)])
    let second = scheduler.createHotObservable([.next(215, 2), .completed(300)])
    let result = scheduler.start { Observable.combineLatest(first, second) { $0 + $1 } }
    #expect(result.events == [.next(215, 3), .error(220)])
    #expect(second.subscriptions == [Subscription(200, 220)])
  }

  @Test func `a closure that throws fails the stream`() {
    let result = scheduler.start {
      Observable.combineLatest(Observable.just(1), Observable.just(2)) { _, _ -> Int in
        throw TestError.test
      }
    }
    #expect(result.events == [.error(200)])
  }

  @Test func `two, three and four of different types, as tuples and by closures`() {
    let log = Log<String>()
    let number = Observable.just(1)
    let text = Observable.just("a")
    let flag = BehaviorRelay(value: true)
    let single = Single.just(2.5)
    _ = Observable.combineLatest(number, text).subscribe(onNext: { log.append("\($0)") })
    _ = Observable.combineLatest(number, text, flag).subscribe(onNext: { log.append("\($0)") })
    _ = Observable.combineLatest(number, text, flag, single)
      .subscribe(onNext: { log.append("\($0)") })
    _ = Observable.combineLatest(number, text, flag) { "\($0)\($1)\($2)" }
      .subscribe(onNext: log.append)
    _ = Observable.combineLatest(number, text, flag, single) { "\($0)\($1)\($2)\($3)" }
      .subscribe(onNext: log.append)
    #expect(
      log.entries == [
        #"(1, "a")"#, #"(1, "a", true)"#, #"(1, "a", true, 2.5)"#, "1atrue", "1atrue2.5",
      ])
  }

  @Test func `any number of streams of one type are combined`() {
    let relays = [BehaviorRelay(value: 1), BehaviorRelay(value: 2), BehaviorRelay(value: 3)]
    let log = Log<[Int]>()
    let sums = Log<Int>()
    _ = Observable.combineLatest(relays).subscribe(onNext: log.append)
    _ = Observable.combineLatest(relays) { $0.reduce(0, +) }.subscribe(onNext: sums.append)
    relays[1].accept(7)
    #expect(log.entries == [[1, 2, 3], [1, 7, 3]])
    #expect(sums.entries == [6, 11])
    let none = scheduler.start { Observable.combineLatest([Observable<Int>]()) }
    #expect(none.events == [.next(200, []), .completed(200)])
  }

  @Test func `a handler that changes one of them sees each combination in order`() {
    let a = BehaviorRelay(value: 1)
    let b = BehaviorRelay(value: 1)
    let log = Log<String>()
    _ = Observable.combineLatest(a, b).subscribe(onNext: { pair in
      log.append("\(pair.0),\(pair.1)")
      if pair.0 != pair.1 { b.accept(pair.0) }
    })
    a.accept(2)
    #expect(log.entries == ["1,1", "2,1", "2,2"])
  }
}
