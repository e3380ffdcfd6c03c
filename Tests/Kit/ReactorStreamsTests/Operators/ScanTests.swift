import ReactorStreams
import ReactorTesting
import StreamTestSupport
import Testing

@Suite struct ScanTests {
  let scheduler = TestScheduler()
  let elements: [Recorded<Event<Int>>] = [
    .next(210, 2), .next(220, 3), .next(230, 4), .next(240, 5), .completed(250),
  ]

  @Test func `the seed itself is not emitted`() {
    let source = scheduler.createHotObservable(elements)
    let result = scheduler.start { source.scan(42) { $0 + $1 } }
    #expect(
      result.events == [
        .next(210, 44), .next(220, 47), .next(230, 51), .next(240, 56), .completed(250),
      ])
  }

  @Test func `an empty stream completes`() {
    let source = scheduler.createHotObservable([Recorded<Event<Int>>.completed(250)])
    #expect(scheduler.start { source.scan(42) { $0 + $1 } }.events == [.completed(250)])
  }

  @Test func `an accumulator that throws fails the stream`() {
    let source = scheduler.createHotObservable(elements)
    let result = scheduler.start {
      source.scan(42) { sum, element in
        if element == 4 { throw TestError.test }
        return sum + element
      }
    }
    #expect(result.events == [.next(210, 44), .next(220, 47), .error(230)])
    #expect(source.subscriptions == [Subscription(200, 230)])
  }

  @Test func `each subscription starts with the seed`() {
    let sums = Observable.of(1, 2, 3).scan(into: 0) { $0 += $1 }
    for _ in 0..<2 {
      let log = Log<Int>()
      _ = sums.subscribe(onNext: log.append)
      #expect(log.entries == [1, 3, 6])
    }
  }

  @Test func `reduce emits once, for an empty stream the seed`() {
    let log = Log<Int>()
    _ = Observable.of(1, 2, 3).reduce(10) { $0 + $1 }.subscribe(onNext: log.append)
    _ = Observable<Int>.empty().reduce(10) { $0 + $1 }.subscribe(onNext: log.append)
    #expect(log.entries == [16, 10])
  }
}
