import ReactorLog
import TestSupport
import Testing

@testable import ReactorHost

/// Drives a ``TimerSchedule`` with random events, as the timer service, the log and the sessions would.
///
/// The model is the set of the timers that are committed. A timer that was fired leaves it with the
/// end of its firing, or is replaced by its repetition.
struct TimerModel {
  private struct Entry: Equatable {
    var due: Int64
    /// Distinguishes successive timers with the same id.
    var number: Int
  }

  private var schedule = TimerSchedule()
  private var random: SplitMix64
  private var now: Int64 = 1_000_000
  private var stored: [String: Entry] = [:]
  private var lastNumber = 0
  /// The numbers of the timers that were removed because they fired.
  private var fired: Set<Int> = []
  private var firing: [DueTimer] = []
  /// The end of the caller's wait, or `nil` while it is awake.
  private var sleepsUntil: Int64?
  /// A reading whose snapshot was taken.
  private var reading: (page: DueTimers, limit: Int)?

  init(seed: UInt64) {
    random = SplitMix64(seed: seed)
  }

  /// Drives the schedule through random events, and then until it rests.
  mutating func run(events: Int) {
    for _ in 0..<events { step() }
    // From now on no firing fails, and time advances until all due timers have fired.
    for _ in 0..<10_000 where !isDone {
      while !firing.isEmpty { finish(fails: false) }
      advance(upTo: 1)
      now += 1000
      wakeIfDue()
    }
    #expect(isDone, "timers that are due were not fired: \(stored.filter { $0.value.due <= now })")
  }

  private var isDone: Bool {
    firing.isEmpty && !stored.contains { $0.value.due <= now }
  }

  private mutating func step() {
    switch random.next(below: 12) {
    case 0..<3: put()
    case 3: remove()
    case 4..<8: advance(upTo: random.next(below: 3))
    case 8, 9: if !firing.isEmpty { finish(fails: random.next(below: 5) == 0) }
    case 10:
      now += Int64(random.next(below: 3000))
      wakeIfDue()
    default:
      // The clock is set back.
      if random.next(below: 10) == 0 { now -= Int64(random.next(below: 20_000)) }
    }
  }

  private mutating func put() {
    lastNumber += 1
    let due = now + Int64(random.next(below: 4000)) - 1000
    stored["\(random.next(below: 30))"] = Entry(due: due, number: lastNumber)
    if schedule.scheduled(Timestamp(milliseconds: due)) { sleepsUntil = nil }
  }

  private mutating func remove() {
    stored["\(random.next(below: 30))"] = nil
  }

  private mutating func wakeIfDue() {
    if let end = sleepsUntil, end <= now { sleepsUntil = nil }
  }

  /// The caller executes steps; commits may happen between the snapshot of a reading and its result.
  private mutating func advance(upTo pause: Int) {
    while sleepsUntil == nil {
      if let (page, limit) = reading.take() {
        for timer in schedule.didRead(page, limit: limit) {
          #expect(!firing.contains { $0.id == timer.id }, "a timer fires once at a time")
          #expect(timer.position.due.milliseconds <= now + 20_000)
          firing.append(timer)
        }
      }
      switch schedule.next(at: Timestamp(milliseconds: now)) {
      case .rest: sleepsUntil = .max
      case .wait(let time): sleepsUntil = now + max(1, time)
      case .read(let position, let time, let limit):
        reading = (page(after: position, until: time, limit: limit), limit)
        if pause == 0 { return }
      }
    }
  }

  private func page(after position: TimerPosition?, until time: Timestamp, limit: Int) -> DueTimers
  {
    let all = stored.map { id, entry in
      DueTimer(
        key: SessionKey(reactor: "r", id: id),
        position: TimerPosition(due: Timestamp(milliseconds: entry.due), history: 1, id: id))
    }.sorted { $0.position < $1.position }
    let due = all.filter { timer in
      timer.position.due.milliseconds <= time.milliseconds
        && position.map { timer.position > $0 } ?? true
    }.prefix(limit)
    let next = all.first { $0.position.due.milliseconds > time.milliseconds }
    return DueTimers(Array(due), next: due.count < limit ? next?.position.due : nil)
  }

  private mutating func finish(fails: Bool) {
    let timer = firing.remove(at: random.next(below: firing.count))
    let isDue = stored[timer.id].map { $0.due <= timer.position.due.milliseconds } ?? false
    if !fails, isDue, let entry = stored[timer.id] {
      #expect(fired.insert(entry.number).inserted)
      stored[timer.id] = nil
      if random.next(below: 4) == 0 {
        lastNumber += 1
        let repetition = Entry(due: entry.due + 500, number: lastNumber)
        stored[timer.id] = repetition
        if schedule.scheduled(Timestamp(milliseconds: repetition.due)) { sleepsUntil = nil }
      }
    }
    let outcome: TimerSchedule.Outcome = fails ? .failed : .done
    if schedule.didFinish(timer, outcome, at: Timestamp(milliseconds: now)) { sleepsUntil = nil }
  }
}
