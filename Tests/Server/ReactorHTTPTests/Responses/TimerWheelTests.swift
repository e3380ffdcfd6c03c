internal import Testing

@testable internal import ReactorHTTP

@Suite(.timeLimit(.minutes(60))) struct TimerWheelTests {
  private let timers = TimerWheel()
  private let expired: AsyncStream<String>
  private let expirations: AsyncStream<String>.Continuation

  init() {
    (expired, expirations) = AsyncStream<String>.makeStream()
  }

  private final class Target: TimerTarget {
    private let name: String
    private let expirations: AsyncStream<String>.Continuation

    init(_ name: String, _ expirations: AsyncStream<String>.Continuation) {
      self.name = name
      self.expirations = expirations
    }

    func timerExpired() { expirations.yield(name) }
  }

  private func target(_ name: String) -> Target { Target(name, expirations) }

  @Test func `each timer expires once, not before its deadline`() async throws {
    let start = ContinuousClock.now
    let times = ["long": 200, "short": 1, "middle": 100]
    for (name, time) in times { timers.schedule(target(name), after: .init(.milliseconds(time))) }
    var pending = times
    for await name in expired {
      let deadline = pending.removeValue(forKey: name)
      let time = try #require(deadline, "\(name) expired twice")
      #expect(start.duration(to: .now) >= .milliseconds(time))
      if pending.isEmpty { break }
    }
  }

  /// A timer that was cancelled before its deadline.
  private struct Cancelled {
    let name: String
    let target: Target
    let place: TimerWheel.Place
  }

  /// Schedules a timer and cancels it before its deadline.
  ///
  /// If this thread is not scheduled in time, the timer can expire, and another one is scheduled.
  private func scheduleAndCancel(after time: Duration) -> Cancelled {
    var attempt = 0
    while true {
      attempt += 1
      let start = ContinuousClock.now
      let name = "cancelled \(attempt)"
      let target = target(name)
      let place = timers.schedule(target, after: .init(time))
      timers.cancel(target, at: place)
      if start.duration(to: .now) < time {
        return Cancelled(name: name, target: target, place: place)
      }
    }
  }

  /// The names of the timers that expire, up to a name.
  private func expired(upTo last: String) async -> [String] {
    var names: [String] = []
    for await name in expired {
      names.append(name)
      if name == last { break }
    }
    return names
  }

  @Test func `a cancelled timer does not expire`() async {
    let cancelled = scheduleAndCancel(after: .milliseconds(50))
    timers.schedule(target("other"), after: .init(.milliseconds(100)))
    #expect(await !expired(upTo: "other").contains(cancelled.name))
  }

  @Test func `a place is reused, and its former timer does not cancel the next`() async {
    let former = scheduleAndCancel(after: .milliseconds(100))
    timers.schedule(target("next"), after: .init(.milliseconds(100)))
    timers.cancel(former.target, at: former.place)
    #expect(await !expired(upTo: "next").contains(former.name))
  }

  @Test func `the wheel ticks again after it was empty`() async throws {
    var iterator = expired.makeAsyncIterator()
    for name in ["one", "two"] {
      timers.schedule(target(name), after: .init(.milliseconds(1)))
      #expect(await iterator.next() == name)
    }
  }

  @Test func `all timers expire at the end, and later ones at the next tick`() async {
    var iterator = expired.makeAsyncIterator()
    timers.schedule(target("before"), after: .init(.seconds(3_600)))
    timers.expireAll()
    #expect(await iterator.next() == "before")
    timers.schedule(target("after"), after: .init(.seconds(3_600)))
    #expect(await iterator.next() == "after")
  }

  @Test func `a time beyond the range of ticks is shortened`() async {
    let never = target("never")
    let place = timers.schedule(never, after: .init(.seconds(Int64.max)))
    timers.schedule(target("other"), after: .init(.milliseconds(1)))
    #expect(await expired.first { _ in true } == "other")
    timers.cancel(never, at: place)
  }
}
