import ReactorStreams
import ReactorTesting
import StreamTestSupport
import Testing

/// Synchronous sources that are combined take turns, as they do in RxSwift.
@Suite struct InterleavingTests {
  private func elements<Element: Sendable>(_ stream: Observable<Element>) throws -> [Element] {
    try stream.toBlocking().toArray()
  }

  @Test func `merge alternates between its sources`() throws {
    let merged = Observable.merge(.of(1, 2, 3), .of(10, 20, 30))
    #expect(try elements(merged) == [1, 10, 2, 20, 3, 30])
  }

  @Test func `combineLatest sees each element of both sources`() throws {
    let combined = Observable.combineLatest(Observable.of(1, 2), Observable.of("a", "b")) {
      "\($0)\($1)"
    }
    #expect(try elements(combined) == ["1a", "2a", "2b"])
  }

  @Test func `withLatestFrom pairs elements of the same turn`() throws {
    let paired = Observable.of(1, 2).withLatestFrom(Observable.of("a", "b")) { "\($0)\($1)" }
    #expect(try elements(paired) == ["1a", "2b"])
  }

  @Test func `flatMap alternates between the outer and the inner streams`() throws {
    let flattened = Observable.of(10, 20).flatMap { Observable.of($0, $0 + 1, $0 + 2) }
    #expect(try elements(flattened) == [10, 11, 20, 12, 21, 22])
  }

  @Test func `a range, a loop and a repetition take turns`() throws {
    let range = Observable.range(start: 1, count: 3)
    let loop = Observable.generate(initialState: 10, condition: { $0 < 40 }) { $0 + 10 }
    let repetition = Observable.repeatElement(0).take(3)
    #expect(try elements(.merge(range, loop, repetition)) == [1, 10, 0, 2, 20, 0, 3, 30, 0])
  }

  @Test func `a source outside of a subscription is emitted before subscribe returns`() {
    let source = PublishSubject<Int>()
    let log = Log<Int>()
    let subscription = source.flatMap { Observable.of($0, $0 + 1) }.subscribe(onNext: log.append)
    source.onNext(1)
    source.onNext(10)
    #expect(log.entries == [1, 2, 10, 11])
    subscription.dispose()
  }

  @Test func `an infinite source stops when the subscription has ended`() throws {
    #expect(try elements(Observable.repeatElement(7).take(2)) == [7, 7])
    let zipped = Observable.zip(Observable.repeatElement(0), Observable.of(1, 2)) { $1 }
    #expect(try elements(zipped) == [1, 2])
  }

  @Test func `the steps of three sources and of those that they start keep their order`() throws {
    let nested = Observable.of(1, 2, 3).concatMap { (number: Int) in
      Observable.of(number, -number)
    }
    let merged = Observable.merge(nested, .of(10, 20, 30), .from([100, 200, 300, 400]))
    #expect(try elements(merged) == [10, 100, 1, 20, 200, -1, 30, 300, 400, 2, -2, 3, -3])
  }

  @Test func `a source that an element of another one starts takes turns with it`() {
    let log = Log<Int>()
    let inner = Observable.of(10, 20)
    let subscription = Observable.of(1, 2, 3).subscribe(onNext: { number in
      log.append(number)
      if number == 1 { _ = inner.subscribe(onNext: log.append) }
    })
    #expect(log.entries == [1, 10, 2, 20, 3])
    subscription.dispose()
  }

  @Test func `a source emits nothing after an operator below has ended the stream`() throws {
    let log = Log<Int>()
    let stream = Observable.of(1, 2, 3).do(onNext: log.append).map { $0 * 10 }.take(1)
    #expect(try elements(stream) == [10])
    #expect(log.entries == [1])
  }
}
