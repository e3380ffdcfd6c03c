import Testing

@testable import ReactorHost

struct ActivityObserversTests {
  private final class Observer: ActivityObserver {
    let seen = Recorder<Int>()

    func activityDidChange(_ activity: SessionActivity) { seen.add(activity.running) }
  }

  @Test func `an activity is published once, and again for a new observer`() {
    let observers = ActivityObservers()
    let (first, second) = (Observer(), Observer())
    observers.add(first)
    for running in [1, 1, 2] { observers.publish(SessionActivity(running: running)) }
    observers.add(second)
    observers.publish(SessionActivity(running: 2))
    #expect(first.seen.values == [1, 2, 2])
    #expect(second.seen.values == [2])
  }

  @Test func `removed observers are not notified, and the list is empty without them`() {
    let observers = ActivityObservers()
    let (first, second) = (Observer(), Observer())
    var isEmpty = [observers.isEmpty]
    for observer in [first, second] {
      observers.add(observer)
      isEmpty.append(observers.isEmpty)
    }
    for observer in [first, first, second] {
      observers.remove(observer)
      isEmpty.append(observers.isEmpty)
    }
    observers.publish(SessionActivity(running: 1))
    #expect(isEmpty == [true, false, false, false, false, true])
    #expect(first.seen.values.isEmpty && second.seen.values.isEmpty)
  }
}
