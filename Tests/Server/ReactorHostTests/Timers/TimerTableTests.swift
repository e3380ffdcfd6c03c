import ReactorLog
import Testing

@testable import ReactorHost

struct TimerTableTests {
  private func timer(
    _ id: String, at due: Int64, every period: Int64? = nil, catchesUp: Bool = false
  ) -> StoredTimer {
    StoredTimer(
      id: id, due: Timestamp(milliseconds: due), action: [], period: period, catchesUp: catchesUp)
  }

  private func due(_ id: String, at due: Int64) -> DueTimer {
    let key = SessionKey(reactor: "timers", id: "demo")
    return DueTimer(
      key: key, position: TimerPosition(due: Timestamp(milliseconds: due), history: 1, id: id))
  }

  @Test func `timers are in the order in which they are due, then in that of their ids`() {
    let table = TimerTable([timer("c", at: 1), timer("b", at: 2), timer("a", at: 2)])
    #expect(table.all.map(\.id) == ["c", "a", "b"])
  }

  @Test func `setting the same timer, or removing none, changes nothing`() {
    var table = TimerTable()
    let first = timer("a", at: 1)
    let changes = [first, first, timer("a", at: 2), nil, nil].map { table.set("a", to: $0) }
    #expect(changes == [true, false, true, true, false])
  }

  @Test func `a full table has a place only for a timer that it replaces`() {
    let table = TimerTable([timer("a", at: 1), timer("b", at: 2)])
    #expect(table.hasPlace(for: "c", limit: 3))
    #expect(!table.hasPlace(for: "c", limit: 2))
    #expect(table.hasPlace(for: "a", limit: 2))
  }

  @Test func `a stored timer with a period that no timer can have does not repeat`() {
    for period in [0, -1, Int64.min] {
      #expect(timer("a", at: 5, every: period).repetition(at: Timestamp(milliseconds: 9)) == nil)
    }
  }

  @Test func `a timer that was read fires the current one unless that is due later`() {
    let table = TimerTable([timer("a", at: 5)])
    #expect(table.timer(firedBy: due("a", at: 5)) == timer("a", at: 5))
    #expect(table.timer(firedBy: due("a", at: 9)) == timer("a", at: 5))
    #expect(table.timer(firedBy: due("a", at: 4)) == nil)
    #expect(table.timer(firedBy: due("b", at: 5)) == nil)
  }

  @Test func `a repetition keeps the rhythm, and skips missed times unless it catches up`() {
    let now = Timestamp(milliseconds: 3500)
    #expect(timer("a", at: 1000).repetition(at: now) == nil)
    #expect(timer("a", at: 1000, every: 1000).repetition(at: now)?.due.milliseconds == 4000)
    let late = timer("a", at: 1000, every: 1000, catchesUp: true).repetition(at: now)
    #expect(late?.due.milliseconds == 2000)
  }

  @Test(arguments: [.min, .min + 1, 3500 - .max, 3501 - .max] as [Int64], [1, 2, 1000] as [Int64])
  func `a repetition after any stored time is later than that time`(_ due: Int64, _ period: Int64)
    throws
  {
    for catchesUp in [false, true] {
      let stored = timer("a", at: due, every: period, catchesUp: catchesUp)
      let next = try #require(stored.repetition(at: Timestamp(milliseconds: 3500)))
      #expect(next.due.milliseconds > due)
      #expect(!catchesUp || next.due.milliseconds == due + period)
    }
  }
}
