import ReactorLog
import Testing

@testable import NATSLog

/// The timers of all sessions, as a node knows them.
@Suite struct TimerTableTests {
  private let table = TimerTable()
  private let names = StoreNames(prefix: "p", logStreams: 1)

  private func key(_ number: Int) -> SessionKey {
    SessionKey(reactor: "auction", id: "s\(number)")
  }

  /// Replaces the timers of a session by those of its message at a sequence.
  private func set(_ ids: [String], of number: Int, at sequence: Int) {
    let timers = ids.map { id in
      StoredTimerChange(
        id: id,
        timer: StoredTimer(
          id: id, due: Timestamp(milliseconds: 100), action: Array("1".utf8), period: nil,
          catchesUp: false))
    }
    var head = SessionHead()
    (head.status, head.first, head.sequence) = (.stored, number + 1, sequence)
    head.journal.apply(LogBatch([], timers: timers))
    table.set(head, of: key(number), in: names)
  }

  @Test func `an older message brings no timer back`() {
    set(["end"], of: 1, at: 10)
    set([], of: 1, at: 11)
    set(["end"], of: 1, at: 10)
    #expect(table.count == 0)
    #expect(table.keys.isEmpty)
  }

  @Test func `sessions that have lost their timers are forgotten at a bound`() {
    for number in 0...TimerTable.emptiedBound {
      set(["end"], of: number, at: 2 * number + 1)
      set([], of: number, at: 2 * number + 2)
    }
    #expect(table.count == 0)
    #expect(table.sessionCount == TimerTable.emptiedBound)
  }

  @Test func `a session that has timers again is not forgotten`() {
    set([], of: 0, at: 1)
    set(["end"], of: 0, at: 2)
    for number in 1...(3 * TimerTable.emptiedBound) { set([], of: number, at: number + 2) }
    #expect(table.keys == [key(0)])
    #expect(table.sessionCount == TimerTable.emptiedBound + 1)
  }
}
