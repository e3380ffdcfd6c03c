import Glibc
import ReactorStreams
import StreamTestSupport
import Testing

/// A new observer while another thread delivers.
@Suite struct GreetingTests {
  /// Waits for another thread.
  private func wait(for flag: Box<Bool>) {
    while !flag.value { sched_yield() }
  }

  /// Executes a closure on another thread while this one delivers 1.
  private func duringDelivery(
    of subject: some SubjectType<Int>, _ body: @escaping @Sendable () -> Void
  ) {
    let (delivers, isDone) = (Box(false), Box(false))
    let subscription = subject.filter { $0 == 1 }.take(1).subscribe(onNext: { _ in
      delivers.withLock { $0 = true }
      wait(for: isDone)
    })
    onThreads(2) { thread in
      if thread == 0 { return subject.onNext(1) }
      wait(for: delivers)
      body()
      isDone.withLock { $0 = true }
    }
    subscription.dispose()
  }

  @Test func `a new observer receives the current value before subscribe returns`() {
    let relay = BehaviorSubject(value: 0)
    let log = Log<Event<Int>>()
    duringDelivery(of: relay) {
      _ = Observable.just("x").withLatestFrom(relay).subscribe { log.append($0) }
    }
    #expect(log.entries.map(\.element) == [1, nil])
  }

  @Test func `events that are sent while an observer is greeted follow in order`() {
    let subject = ReplaySubject<Int>.create(bufferSize: 2)
    subject.onNext(0)
    let log = Log<Event<Int>>()
    let earlier = Log<Event<Int>>()
    _ = subject.subscribe { earlier.append($0) }
    let (delivers, greets, isDone) = (Box(false), Box(false), Box(false))
    _ = subject.filter { $0 == 1 }.subscribe(onNext: { _ in
      delivers.withLock { $0 = true }
      wait(for: greets)
    })
    onThreads(2) { thread in
      if thread == 0 {
        for element in 1...3 { subject.onNext(element) }
        subject.onCompleted()
        isDone.withLock { $0 = true }
      } else {
        wait(for: delivers)
        _ = subject.subscribe { event in
          log.append(event)
          guard event.element == 0 else { return }
          greets.withLock { $0 = true }
          wait(for: isDone)
        }
      }
    }
    #expect(log.entries.map(\.element) == [0, 1, 2, 3, nil])
    #expect(earlier.entries.map(\.element) == [0, 1, 2, 3, nil])
    #expect(!subject.hasObservers)
  }

  @Test func `an observer that leaves during its greeting receives no later event`() {
    let subject = BehaviorSubject(value: 0)
    let log = Log<Int>()
    let removal = SingleAssignmentDisposable()
    duringDelivery(of: subject) {
      removal.setDisposable(
        subject.subscribe(onNext: { element in
          log.append(element)
          subject.onNext(element + 1)
          removal.dispose()
        }))
    }
    #expect(log.entries == [1])
    #expect(!subject.hasObservers)
  }
}
