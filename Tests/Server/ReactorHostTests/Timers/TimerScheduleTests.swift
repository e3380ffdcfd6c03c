import ReactorLog
import Testing

@testable import ReactorHost

/// The decisions of the timer service, without a log and in virtual time.
@Suite struct TimerScheduleTests {
  private static func timer(_ id: String, due: Int64, session: String = "s") -> DueTimer {
    DueTimer(
      key: SessionKey(reactor: "r", id: session),
      position: TimerPosition(due: Timestamp(milliseconds: due), history: 1, id: id))
  }

  private func time(_ milliseconds: Int64) -> Timestamp { Timestamp(milliseconds: milliseconds) }

  /// A schedule that has read an empty log at a time.
  private func emptySchedule(at now: Int64) -> TimerSchedule {
    var schedule = TimerSchedule()
    _ = schedule.next(at: time(now))
    _ = schedule.didRead(.none, limit: TimerSchedule.window)
    return schedule
  }

  @Test func `the schedule reads the log at the start, and sleeps without timers`() {
    var schedule = TimerSchedule()
    #expect(
      schedule.next(at: time(50))
        == .read(after: nil, until: time(50), limit: TimerSchedule.window))
    #expect(schedule.didRead(.none, limit: TimerSchedule.window) == [])
    #expect(schedule.next(at: time(50)) == .rest)
  }

  @Test func `the schedule waits for the next timer, at most a second at a time`() {
    var schedule = TimerSchedule()
    _ = schedule.next(at: time(0))
    _ = schedule.didRead(DueTimers([], next: time(2500)), limit: TimerSchedule.window)
    #expect(schedule.next(at: time(0)) == .wait(1000))
    #expect(schedule.next(at: time(1900)) == .wait(600))
    #expect(
      schedule.next(at: time(2500))
        == .read(after: nil, until: time(2500), limit: TimerSchedule.window))
  }

  @Test func `a timer that is scheduled earlier than the wait ends it`() {
    var schedule = emptySchedule(at: 0)
    #expect(schedule.next(at: time(0)) == .rest)
    let first = schedule.scheduled(time(900))
    #expect(first)
    #expect(schedule.next(at: time(0)) == .wait(900))
    let later = schedule.scheduled(time(950))
    #expect(!later)
    let earlier = schedule.scheduled(time(100))
    #expect(earlier)
    #expect(schedule.next(at: time(0)) == .wait(100))
  }

  @Test func `a timer that is committed while the log is read is not missed`() {
    var schedule = emptySchedule(at: 0)
    _ = schedule.scheduled(time(0))
    _ = schedule.next(at: time(10))
    let ends = schedule.scheduled(time(5))
    #expect(!ends)
    // The snapshot was taken before the commit.
    let fired = schedule.didRead(
      DueTimers([Self.timer("a", due: 8)], next: nil), limit: TimerSchedule.window)
    #expect(fired.map(\.id) == ["a"])
    #expect(
      schedule.next(at: time(10))
        == .read(
          after: TimerPosition(before: time(5)), until: time(10), limit: TimerSchedule.window - 1))
  }

  @Test func `a timer is not fired again while it is being fired, but afterwards`() {
    var schedule = TimerSchedule()
    _ = schedule.next(at: time(10))
    let timer = Self.timer("a", due: 1)
    #expect(schedule.didRead(DueTimers([timer], next: nil), limit: TimerSchedule.window) == [timer])
    _ = schedule.scheduled(time(4))
    _ = schedule.next(at: time(10))
    let again = Self.timer("a", due: 4)
    #expect(schedule.didRead(DueTimers([again], next: nil), limit: TimerSchedule.window) == [])
    #expect(schedule.next(at: time(10)) == .rest)
    let ends = schedule.didFinish(timer, .done, at: time(10))
    #expect(ends)
    _ = schedule.next(at: time(10))
    #expect(schedule.didRead(DueTimers([again], next: nil), limit: TimerSchedule.window) == [again])
  }

  @Test func `no more timers fire at the same time than the window permits`() {
    var schedule = TimerSchedule()
    _ = schedule.next(at: time(10))
    let timers = (0..<TimerSchedule.window).map { Self.timer("\($0)", due: 1, session: "\($0)") }
    #expect(schedule.didRead(DueTimers(timers, next: nil), limit: timers.count).count == 1000)
    #expect(schedule.next(at: time(10)) == .rest)
    let isUrgent = schedule.scheduled(time(2))
    #expect(!isUrgent)
    let ends = schedule.didFinish(timers[3], .done, at: time(10))
    #expect(ends)
    guard case .read(_, _, let limit) = schedule.next(at: time(10)) else {
      Issue.record("the log is read again")
      return
    }
    #expect(limit == 1)
  }

  @Test func `a timer that failed is read again after a while, also if the clock is set back`() {
    var schedule = TimerSchedule()
    _ = schedule.next(at: time(100_000))
    let timer = Self.timer("a", due: 1)
    _ = schedule.didRead(DueTimers([timer], next: nil), limit: TimerSchedule.window)
    #expect(schedule.next(at: time(100_000)) == .rest)
    let ends = schedule.didFinish(timer, .failed, at: time(100_000))
    #expect(ends)
    #expect(schedule.next(at: time(100_000)) == .wait(1000))
    #expect(schedule.next(at: time(50_000)) == .wait(1000))
    #expect(
      schedule.next(at: time(55_000))
        == .read(after: nil, until: time(55_000), limit: TimerSchedule.window))
  }

  @Test(arguments: 0..<200 as Range<UInt64>)
  func `each timer fires once, not before its time, over random events`(_ seed: UInt64) {
    var model = TimerModel(seed: seed)
    model.run(events: 400)
  }
}
