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

  @Test func `cancellation throws from the value of a single, a maybe and a completable`() async {
    let single = await canceled { try await $0.asSingle().value }
    #expect(throws: CancellationError.self) { try single.result.get() }
    let maybe = await canceled { try await $0.asMaybe().value }
    #expect(throws: CancellationError.self) { try maybe.result.get() }
    let completable = await canceled { try await $0.ignoreElements().asCompletable().value }
    #expect(throws: CancellationError.self) { try completable.result.get() }
  }

  @Test func `the elements and the completion of a stream`() async throws {
    var elements: [Int] = []
    for try await element in Observable.of(1, 2, 3).values { elements.append(element) }
    #expect(elements == [1, 2, 3])
  }

  @Test func `the values of a driver and of an infallible do not throw`() async {
    var elements: [Int] = []
    for await element in Driver.of(1, 2).values { elements.append(element) }
    for await element in Infallible.of(3, 4).values { elements.append(element) }
    #expect(elements == [1, 2, 3, 4])
  }

  @Test func `a single, a maybe and a completable have an awaitable value`() async throws {
    #expect(try await Single.just(1).value == 1)
    #expect(try await Maybe.just(1).value == 1)
    #expect(try await Maybe<Int>.empty().value == nil)
    try await Completable.empty().value
    await #expect(throws: TestError.test) { try await Completable.error(TestError.test).value }
    await #expect(throws: TestError.test) { try await Single<Int>.error(TestError.test).value }
  }
}
