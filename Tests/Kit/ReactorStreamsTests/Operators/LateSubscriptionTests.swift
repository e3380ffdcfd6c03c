import ReactorStreams
import ReactorTesting
import StreamTestSupport
import Testing

/// An operator that subscribes to a stream later does so in the serial context of its own subscription.
@Suite(.ownSerialContext) struct LateSubscriptionTests {
  private typealias Operator = @Sendable (PublishSubject<Int>, Observable<Int>) -> Observable<Int>

  private static let operators: [Operator] = [
    { source, inner in source.flatMap { _ in inner } },
    { source, inner in source.flatMapLatest { _ in inner } },
    { source, inner in source.flatMapFirst { _ in inner } },
    { source, inner in source.concatMap { _ in inner } },
    { source, inner in .concat(source.take(1), inner) },
    { source, inner in source.map { _ in throw TestError.test }.catch { _ in inner } },
    { source, inner in
      let hasBegun = AtomicSwitch()
      return Observable.deferred {
        hasBegun.turn(on: true) ? inner : source.map { _ in throw TestError.test }
      }.retry(2)
    },
  ]

  @Test(arguments: 0..<operators.count) func `a late subscription uses the context on any thread`(
    index: Int
  ) {
    let contexts = Log<ObjectIdentifier?>()
    let inner = Observable<Int>.deferred {
      contexts.append(CurrentSerialContext.value.map { ObjectIdentifier($0) })
      return .just(1)
    }
    let source = PublishSubject<Int>()
    let subscription = Self.operators[index](source, inner).subscribe()
    CurrentSerialContext.$value.withValue(nil) { source.onNext(1) }
    #expect(contexts.entries == [CurrentSerialContext.value.map { ObjectIdentifier($0) }])
    #expect(contexts.entries.first != .some(nil))
    subscription.dispose()
  }
}
