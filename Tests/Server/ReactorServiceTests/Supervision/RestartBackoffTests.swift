import Testing

@testable import ReactorService

struct RestartBackoffTests {
  @Test func `the first restart is immediate, later ones are delayed up to a limit`() {
    var backoff = RestartBackoff()
    let delays = (0..<10).map { _ in backoff.delay(afterUptime: .seconds(1), wasReady: false) }
    #expect(
      delays == [
        .zero, .milliseconds(100), .milliseconds(200), .milliseconds(400), .milliseconds(800),
        .milliseconds(1600), .milliseconds(3200), .milliseconds(6400), .seconds(10), .seconds(10),
      ])
  }

  @Test func `a service that ran for a minute is restarted immediately`() {
    var backoff = RestartBackoff()
    for _ in 0..<5 { _ = backoff.delay(afterUptime: .zero, wasReady: false) }
    #expect(backoff.delay(afterUptime: .seconds(60), wasReady: true) == .zero)
  }

  @Test func `a service that was ready is never delayed for longer`() {
    var backoff = RestartBackoff()
    let delays = (0..<20).map { _ in backoff.delay(afterUptime: .seconds(1), wasReady: true) }
    #expect(delays.allSatisfy { $0 <= .milliseconds(100) })
  }
}
