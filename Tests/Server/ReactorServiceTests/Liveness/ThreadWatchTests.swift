import Glibc
import Synchronization
import SystemThreads
import Testing

@testable import ReactorService

struct ThreadWatchTests {
  /// The calls of a watch; a test waits for them.
  private final class Events: Sendable {
    let reports = Semaphore()
    let hangs = Semaphore()
    let names = Mutex<[String]>([])
    let threads = Mutex<[pthread_t?]>([])
    let isResponding = Atomic(true)
  }

  private func watch(_ events: Events, _ names: String...) -> ThreadWatch {
    ThreadWatch(
      names.map { name in
        (
          name: name,
          call: { if name != "stuck" || events.isResponding.load(ordering: .relaxed) { $0() } }
        )
      },
      limit: .milliseconds(100)
    ) {
      events.reports.signal()
    } handleHangs: { hangs in
      events.names.withLock { $0 = hangs.map(\.name) }
      events.threads.withLock { $0 = hangs.map(\.thread) }
      events.hangs.signal()
    }
  }

  @Test func `threads that respond are reported again and again`() {
    let events = Events()
    let watch = watch(events, "a", "b")
    for _ in 0..<3 { events.reports.wait() }
    watch.end()
  }

  @Test func `a thread that stops to respond is named, and nothing is reported meanwhile`() {
    let events = Events()
    let watch = watch(events, "a", "stuck", "b")
    events.reports.wait()
    events.isResponding.store(false, ordering: .relaxed)
    events.hangs.wait()
    #expect(events.names.withLock { $0 } == ["stuck"])
    // The stand-in calls its function on the thread of the watch, which has responded before.
    #expect(events.threads.withLock { $0 }.contains(nil) == false)
    while events.reports.wait(for: .zero) {}
    #expect(!events.reports.wait(for: .zero))
    watch.end()
  }

  @Test func `threads that the service ends are not called, and reports continue`() {
    let events = Events()
    events.isResponding.store(false, ordering: .relaxed)
    let watch = watch(events, "stuck")
    watch.end()
    for _ in 0..<3 { events.reports.wait() }
  }
}
