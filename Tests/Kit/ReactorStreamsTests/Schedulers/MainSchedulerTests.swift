import ReactorStreams
import StreamTestSupport
import Synchronization
import Testing

/// A context that counts its turns.
private final class CountingContext: SerialContext {
  let turns = Atomic<Int>(0)
  private let queue = SerialQueue<@Sendable () -> Void>()

  var isCurrent: Bool {
    queue.isOwnedByCurrentThread
  }

  func enqueue(_ work: @escaping @Sendable () -> Void) {
    turns.add(1, ordering: .relaxed)
    queue.post(work) { $0() }
  }
}

@Suite struct MainSchedulerTests {
  @Test func `the scheduler uses the context of the subscription's start`() {
    let context = CountingContext()
    let subject = PublishSubject<Int>()
    let log = Log<Int>()
    let observed = subject.observe(on: MainScheduler.instance)
    CurrentSerialContext.$value.withValue(context) {
      _ = observed.subscribe(onNext: log.append)
    }
    subject.onNext(1)
    subject.onNext(2)
    #expect(log.entries == [1, 2])
    #expect(context.turns.load(ordering: .relaxed) == 2)
  }

  @Test func `without a context it is that of the process`() async throws {
    let observed = Observable.of(1, 2).observe(on: MainScheduler.instance)
    #expect(try await observed.toArray().value == [1, 2])
  }

  @Test func `steps in place are a loop`() {
    let context = CountingContext()
    let log = Log<Int>()
    CurrentSerialContext.$value.withValue(context) {
      context.enqueue {
        _ = Observable.from(0..<100_000, scheduler: ConcurrentMainScheduler.instance)
          .filter { $0 % 50_000 == 0 }.subscribe(onNext: log.append)
        log.append(1)
      }
    }
    #expect(log.entries == [0, 50_000, 1])
  }

  @Test func `work that is scheduled from work waits for its end`() {
    let log = Log<Int>()
    CurrentSerialContext.$value.withValue(CountingContext()) {
      MainScheduler.instance.schedule(after: .zero) {
        MainScheduler.instance.schedule(after: .zero) { log.append(2) }
        log.append(1)
      }
    }
    #expect(log.entries == [1, 2])
  }

  @Test func `a subscription in the context starts in place, from outside in a turn`() {
    let context = CountingContext()
    let source = BehaviorSubject(value: 1).subscribe(on: ConcurrentMainScheduler.instance)
    let log = Log<Int>()
    CurrentSerialContext.$value.withValue(context) {
      context.enqueue {
        _ = source.subscribe(onNext: log.append)
        log.append(2)
      }
      #expect(context.turns.load(ordering: .relaxed) == 1)
      _ = source.subscribe(onNext: log.append)
    }
    #expect(context.turns.load(ordering: .relaxed) == 2)
    #expect(log.entries == [1, 2, 1])
  }

  @Test func `asyncInstance executes work after schedule has returned`() async {
    let log = Log<Int>()
    await withCheckedContinuation { continuation in
      let context = CountingContext()
      CurrentSerialContext.$value.withValue(context) {
        context.enqueue {
          MainScheduler.asyncInstance.schedule(after: .zero) {
            log.append(2)
            continuation.resume()
          }
          log.append(1)
        }
      }
    }
    #expect(log.entries == [1, 2])
  }
}
