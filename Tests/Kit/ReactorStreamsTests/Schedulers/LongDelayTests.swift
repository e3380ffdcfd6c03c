import Dispatch
import ReactorStreams
import ReactorTesting
import StreamTestSupport
import Testing

/// Delays that exceed the range of the clocks.
@Suite struct LongDelayTests {
  private static let longest = Duration.seconds(Int64.max)

  @Test(arguments: [longest, longest + longest, .zero - longest - longest, .seconds(9_223_372_036)])
  func `a long delay is clamped`(delay: Duration) {
    let nanoseconds = delay.clamped / .nanoseconds(1)
    #expect(abs(nanoseconds) < Double(Int64.max))
    #expect((delay.clamped < .zero) == (delay < .zero))
  }

  @Test(arguments: [longest, longest + longest, .nanoseconds(Int64.max) + .milliseconds(1)])
  func `work after a long delay can be scheduled and canceled`(delay: Duration) async throws {
    let queue = DispatchQueue(label: "test")
    let schedulers: [any SchedulerType] = [
      ConcurrentDispatchQueueScheduler(queue: queue),
      SerialDispatchQueueScheduler(internalSerialQueueName: "test"),
      TaskScheduler.instance,
    ]
    for scheduler in schedulers {
      let log = Log<Int>()
      let work = scheduler.schedule(after: delay) { log.append(1) }
      // Work that is scheduled later, with a short delay, is executed.
      let later = Observable<Int>.timer(.milliseconds(1), scheduler: scheduler)
      #expect(try await later.toArray().value == [0])
      #expect(log.entries.isEmpty)
      work.dispose()
    }
  }

  @Test(arguments: [Duration(attoseconds: .max), Duration(attoseconds: .min)])
  func `operators accept the longest durations`(duration: Duration) {
    let scheduler = VirtualTimeScheduler(now: .seconds(1))
    let source = Observable.of(1, 2)
    let subscriptions = [
      source.delay(duration, scheduler: scheduler).subscribe(),
      source.throttle(duration, scheduler: scheduler).subscribe(),
      Observable<Int>.timer(duration, period: duration, scheduler: scheduler).take(1).subscribe(),
    ]
    scheduler.advance(by: .seconds(1))
    for subscription in subscriptions { subscription.dispose() }
  }
}
