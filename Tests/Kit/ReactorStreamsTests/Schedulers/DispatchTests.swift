import Foundation
import ReactorStreams
import ReactorTesting
import StreamTestSupport
import Testing

@Suite struct DispatchTests {
  // `DispatchQoS` must not be ambiguous in a file that imports Foundation.
  let qos: DispatchQoS = .userInitiated

  @Test func `schedulers take a class of service beside Foundation`() throws {
    for scheduler: any SchedulerType in [
      SerialDispatchQueueScheduler(qos: qos),
      ConcurrentDispatchQueueScheduler(qos: .background),
    ] {
      let elements = try Observable.of(1, 2, 3).observe(on: scheduler).toBlocking().toArray()
      #expect(elements == [1, 2, 3])
    }
  }

  @Test func `schedulers execute work on a given queue`() throws {
    let queue = DispatchQueue(label: "test")
    let key = DispatchSpecificKey<Int>()
    queue.setSpecific(key: key, value: 42)
    for scheduler: any SchedulerType in [
      SerialDispatchQueueScheduler(queue: queue, internalSerialQueueName: "serial"),
      ConcurrentDispatchQueueScheduler(queue: queue),
    ] {
      let values = try Observable<Int>.timer(.milliseconds(1), scheduler: scheduler)
        .map { _ in DispatchQueue.getSpecific(key: key) }
        .toBlocking().toArray()
      #expect(values == [42])
    }
  }

  @Test func `disposed work on a queue is not executed`() {
    let queue = DispatchQueue(label: "test")
    let log = Log<Int>()
    let scheduler = SerialDispatchQueueScheduler(queue: queue, internalSerialQueueName: "serial")
    queue.suspend()
    let canceled = scheduler.schedule(after: .zero) { log.append(1) }
    let executed = DispatchSemaphore(value: 0)
    scheduler.schedule(after: .zero) { executed.signal() }
    canceled.dispose()
    queue.resume()
    executed.wait()
    #expect(log.entries.isEmpty)
  }
}
