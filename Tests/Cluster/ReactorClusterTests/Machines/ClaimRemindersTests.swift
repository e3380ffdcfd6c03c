import ReactorLog
import Testing

@testable import ReactorCluster

struct ClaimRemindersTests {
  private func key(_ number: Int) -> SessionKey {
    SessionKey(reactor: "counter", id: "\(number)")
  }

  @Test func `a claim is repeated after each delay`() {
    var reminders = ClaimReminders()
    reminders.didClaim(key(1), at: 100)
    var times: [Milliseconds] = []
    for now in stride(from: 100 as Milliseconds, to: 40_000, by: 50) {
      if reminders.takeDue(at: now) == [[key(1)]] { times.append(now - 100) }
    }
    #expect(times == ClaimReminders.delays)
    #expect(reminders.takeDue(at: .max / 2).isEmpty)
  }

  @Test func `reminders that are due together share messages of bounded size`() {
    var reminders = ClaimReminders()
    for number in 0..<250 { reminders.didClaim(key(number), at: 0) }
    let pages = reminders.takeDue(at: 1_000)
    #expect(pages.map(\.count) == [100, 100, 50])
    #expect(pages.joined().elementsEqual((0..<250).map { key($0) }))
  }

  @Test func `claims above the limit are not repeated`() {
    var reminders = ClaimReminders()
    for number in 0..<ClaimReminders.limit + 5 { reminders.didClaim(key(number), at: 0) }
    #expect(reminders.takeDue(at: 1_000).joined().count == ClaimReminders.limit)
    #expect(reminders.takeDue(at: 5_000).joined().count == ClaimReminders.limit)
    reminders.didClaim(key(0), at: 5_000)
    #expect(reminders.takeDue(at: 6_000) == [[key(0)]])
  }
}
