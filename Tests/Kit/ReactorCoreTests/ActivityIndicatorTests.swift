import ReactorCore
import ReactorStreams
import Testing

struct ActivityIndicatorTests {
  private let indicator = ActivityIndicator()

  /// The indicator's changes, delivered in a context of the test.
  private func observe(_ body: (Observation<Bool>) -> Void) {
    CurrentSerialContext.$value.withValue(ScriptedReactor().pipeline) {
      body(Observation(indicator.asObservable()))
    }
  }

  @Test func `an indicator is true from the first beginning to the last end`() {
    observe { changes in
      let (first, second) = (PublishSubject<Int>(), PublishSubject<Int>())
      _ = first.trackActivity(indicator).subscribe()
      _ = second.trackActivity(indicator).subscribe()
      first.onCompleted()
      second.onNext(1)
      #expect(changes.elements == [false, true])
      second.onError(Mishap())
      #expect(changes.elements == [false, true, false])
    }
  }

  @Test func `a disposed subscription has ended once`() {
    observe { changes in
      let subscription = Observable<Int>.never().trackActivity(indicator).subscribe()
      subscription.dispose()
      subscription.dispose()
      _ = Observable.just(1).trackActivity(indicator).subscribe()
      #expect(changes.elements == [false, true, false, true, false])
    }
  }

  @Test func `concurrent beginnings and ends are counted exactly`() {
    let indicator = indicator
    let threads = (0..<4).map { _ in
      OtherThread {
        for _ in 0..<500 { _ = Observable.just(1).trackActivity(indicator).subscribe() }
      }
    }
    for thread in threads { thread.join() }
    observe { changes in #expect(changes.elements == [false]) }
  }
}
