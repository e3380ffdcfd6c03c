import ReactorStreams
import ReactorTesting
import Testing

@Suite(.ownSerialContext) struct ValuesTests {
  /// Iterates a silent stream in a task, which is canceled after the subscription has started.
  private func canceled<Result: Sendable>(
    _ iterate: @escaping @Sendable (Observable<Int>) async throws -> Result
  ) async -> (result: Swift.Result<Result, any Error>, hasObservers: Bool) {
    let source = PublishSubject<Int>()
    let (subscribed, continuation) = AsyncStream<Void>.makeStream()
    let observed = source.do(onSubscribed: { continuation.finish() })
    let task = Task { try await iterate(observed) }
    for await _ in subscribed {}
    task.cancel()
    return (await task.result, source.hasObservers)
  }

  @Test func `cancellation of the iteration's task throws and ends the subscription`() async {
    let (result, hasObservers) = await canceled { source in
      for try await _ in source.values {}
    }
    #expect(throws: CancellationError.self) { try result.get() }
    #expect(!hasObservers)
  }

  @Test func `cancellation throws from the value of a single`() async {
    let single = await canceled { try await $0.asSingle().value }
    #expect(throws: CancellationError.self) { try single.result.get() }
  }

  @Test func `the elements and the completion of a stream`() async throws {
    var elements: [Int] = []
    for try await element in Observable.of(1, 2, 3).values { elements.append(element) }
    #expect(elements == [1, 2, 3])
  }

  @Test func `the values of a driver do not throw`() async {
    var elements: [Int] = []
    for await element in Driver.of(1, 2).values { elements.append(element) }
    #expect(elements == [1, 2])
  }

  @Test func `a single has an awaitable value`() async throws {
    #expect(try await Single.just(1).value == 1)
    await #expect(throws: TestError.test) { try await Single<Int>.error(TestError.test).value }
  }

  /// The values that are read after 200,000 were sent, and the error.
  private func read(_ buffering: ValueBuffering) async -> (elements: [Int], error: (any Error)?) {
    let source = PublishSubject<Int>()
    let values = source.values(buffering: buffering)
    for number in 1...200_000 { source.onNext(number) }
    let isOverflown = if case .bounded = buffering { true } else { false }
    #expect(source.hasObservers == !isOverflown)
    source.onCompleted()
    var elements: [Int] = []
    do {
      for try await element in values { elements.append(element) }
      return (elements, nil)
    } catch {
      return (elements, error)
    }
  }

  @Test func `of 200,000 unread values, a bounded sequence has the first and then an error`() async
  {
    let (elements, error) = await read(.bounded(100))
    #expect(elements == Array(1...100))
    #expect(error as? RxError == .overflow)
  }

  @Test(arguments: [1, 3])
  func `of 200,000 unread values, a sequence of the newest has those and no error`(
    count: Int
  ) async {
    let (elements, error) = await read(.newest(count))
    #expect(elements == Array((200_001 - count)...200_000))
    #expect(error == nil)
  }

  @Test func `of 200,000 unread values, an unbounded sequence has all`() async {
    let (elements, error) = await read(.unbounded)
    #expect(elements == Array(1...200_000))
    #expect(error == nil)
  }

  @Test func `a bounded sequence ends a source that never ends`() async {
    var count = 0
    await #expect(throws: RxError.overflow) {
      for try await _ in Observable.repeatElement(1).values(buffering: .bounded(10)) { count += 1 }
    }
    #expect(count == 10)
  }

  @Test func `a count below 1 is 1`() async {
    #expect(await read(.newest(0)).elements == [200_000])
    #expect(await read(.bounded(-1)).elements == [1])
  }

  @Test func `a reader that is as fast as its source loses nothing`() async throws {
    let source = PublishSubject<Int>()
    var values = source.values(buffering: .bounded(1)).makeAsyncIterator()
    for number in 1...1_000 {
      source.onNext(number)
      #expect(try await values.next() == number)
    }
  }
}
