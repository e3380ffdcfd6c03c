internal import Testing

@testable import MicrohttpdServer

struct LivenessCheckTests {
  @Test func `a vanished client is found within two heartbeats`() {
    let check = LivenessCheck(heartbeat: 15_000)
    // The last acknowledgement arrives directly after a check.
    var checked: Int64 = 0
    while checked < check.timeout + 1 { checked = check.next(checkedAt: checked) }
    #expect(check.timeout > 15_000)
    #expect(checked <= 2 * 15_000)
  }

  @Test func `a stream is checked once per period`() {
    let check = LivenessCheck(heartbeat: 3000)
    #expect(!check.isDue(checkedAt: 500, at: 1499))
    #expect(check.isDue(checkedAt: 500, at: 1500))
    #expect(check.next(checkedAt: 500) == 1500)
  }

  @Test func `a short heartbeat leaves time for acknowledgements`() {
    #expect(LivenessCheck(heartbeat: 100).timeout == 1000)
    #expect(LivenessCheck(heartbeat: 1).next(checkedAt: 7) == 8)
  }

  @Test func `without heartbeats nothing is checked`() {
    let check = LivenessCheck(heartbeat: 0)
    #expect(!check.isDue(checkedAt: 0, at: .max - 1))
  }
}
