import ReactorLog
import Testing

@testable import ReactorHTTP

struct TimerPageTests {
  private static func timers(_ count: Int, ofBytes size: Int) -> [StoredTimer] {
    (0..<count).map {
      StoredTimer(
        id: "\($0)", due: Timestamp(milliseconds: Int64($0)),
        action: Array(repeating: 0x20, count: size))
    }
  }

  @Test func `a page of timers ends at its limit`() {
    #expect(TimerEndpoints.page(of: Self.timers(11, ofBytes: 10), limit: 10).count == 10)
    #expect(TimerEndpoints.page(of: Self.timers(5, ofBytes: 10), limit: 10).count == 5)
    #expect(TimerEndpoints.page(of: [], limit: 10).isEmpty)
  }

  @Test func `a page of timers with large actions ends after a mebibyte`() {
    #expect(TimerEndpoints.page(of: Self.timers(1_000, ofBytes: 16_384), limit: 1_000).count == 64)
  }
}
