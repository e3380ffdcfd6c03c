import ReactorStreams
import ReactorTesting
import StreamTestSupport
import Testing

@Suite struct SelectingTests {
  let scheduler = TestScheduler()

  @Test func `single forwards the only element, and fails with none or two`() {
    let one = scheduler.record(Observable.of(1).single(), from: 200)
    let none = scheduler.record(Observable<Int>.empty().single(), from: 200)
    let two = scheduler.record(Observable.of(1, 2).single(), from: 200)
    let chosen = scheduler.record(Observable.of(1, 2, 3).single { $0 == 2 }, from: 200)
    scheduler.start()
    #expect(one.events == [.next(200, 1), .completed(200)])
    #expect(none.events == [.error(200, RxError.noElements)])
    #expect(two.events == [.next(200, 1), .error(200, RxError.moreThanOneElement)])
    #expect(chosen.events == [.next(200, 2), .completed(200)])
  }

  @Test func `the element at an index is emitted, and an index out of range is an error`() {
    let there = scheduler.record(Observable.of(1, 2, 3).element(at: 1), from: 200)
    let beyond = scheduler.record(Observable.of(1).element(at: 1), from: 200)
    scheduler.start()
    #expect(there.events == [.next(200, 2), .completed(200)])
    #expect(beyond.events == [.error(200, RxError.argumentOutOfRange)])
  }

  @Test func `an element replaces an empty stream`() {
    let log = Log<Int>()
    _ = Observable<Int>.empty().ifEmpty(default: 7).subscribe(onNext: log.append)
    _ = Observable.of(1).ifEmpty(default: 7).subscribe(onNext: log.append)
    #expect(log.entries == [7, 1])
  }

  @Test func `ignoring elements leaves the end`() {
    let log = Log<String>()
    _ = Observable.of(1, 2).ignoreElements().subscribe(onCompleted: { log.append("end") })
    #expect(log.entries == ["end"])
  }

  @Test func `map, compactMap and filter fail with the error of their closures`() {
    let map = scheduler.record(
      Observable.of(1, 2).map { if $0 == 2 { throw TestError("map") } else { $0 } }, from: 200)
    let compactMap = scheduler.record(
      Observable.of("1", "x", "3").compactMap { Int($0) }, from: 200)
    let filter = scheduler.record(
      Observable.of(1).filter { _ in throw TestError("filter") }, from: 200)
    scheduler.start()
    #expect(map.events == [.next(200, 1), .error(200, TestError("map"))])
    #expect(compactMap.events == [.next(200, 1), .next(200, 3), .completed(200)])
    #expect(filter.events == [.error(200, TestError("filter"))])
  }

  @Test func `enumerated counts from zero`() {
    let log = Log<String>()
    _ = Observable.of("a", "b").enumerated().subscribe(onNext: { log.append("\($0)\($1)") })
    #expect(log.entries == ["0a", "1b"])
  }
}
