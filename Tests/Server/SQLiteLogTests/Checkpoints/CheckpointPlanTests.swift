import Testing

@testable import SQLiteLog

/// The decisions when the write-ahead log is copied to the database, and by which thread.
@Suite struct CheckpointPlanTests {
  private let plan = PlanUnderTest()

  @Test func `a short log is not copied, and a long one is copied once`() {
    #expect(plan.committed(length: 3999) == .nothing)
    #expect(plan.committed(length: 4000) == .pass)
    #expect(plan.committed(length: 4100) == .nothing)
  }

  @Test func `passes repeat until few pages are left, which the writer copies`() {
    _ = plan.committed(length: 4000)
    _ = plan.committed(length: 4700)
    #expect(plan.passed(length: 4000, left: 0))
    _ = plan.committed(length: 4800)
    #expect(plan.passed(length: 4700, left: 0))
    _ = plan.committed(length: 4864)
    #expect(!plan.passed(length: 4800, left: 0))
    #expect(plan.committed(length: 4866) == .close)
    plan.closed(left: 0)
    // The next commit restarts the log.
    #expect(plan.committed(length: 2) == .nothing)
    #expect(plan.committed(length: 3999) == .nothing)
    #expect(plan.committed(length: 4000) == .pass)
  }

  @Test func `passes stop when one leaves as many pages as the one before`() {
    _ = plan.committed(length: 4000)
    _ = plan.committed(length: 5000)
    #expect(plan.passed(length: 4000, left: 0))
    _ = plan.committed(length: 6000)
    #expect(!plan.passed(length: 5000, left: 0))
    #expect(plan.committed(length: 6001) == .close)
  }

  @Test func `the writer waits for the pass if the log grows faster than it`() {
    _ = plan.committed(length: 4000)
    #expect(plan.committed(length: 15_999) == .nothing)
    #expect(plan.committed(length: 16_000) == .close)
    // The pass that the writer waited for reports its end only now.
    #expect(!plan.passed(length: 4000, left: 0))
    plan.closed(left: 0)
    #expect(plan.committed(length: 1) == .nothing)
    #expect(plan.committed(length: 4000) == .pass)
  }

  @Test func `the log does not grow forever if each pass leaves few pages less`() {
    var length = 4000
    var left = 3999
    _ = plan.committed(length: length)
    while length < 30_000 {
      let covered = length
      length += left
      left -= 1
      if plan.committed(length: length) == .close { break }
      #expect(plan.passed(length: covered, left: 0))
    }
    #expect(length < 20_000)
  }

  @Test func `the writer retries at intervals during a read`() {
    _ = plan.committed(length: 4000)
    _ = plan.passed(length: 4000, left: 0)
    #expect(plan.committed(length: 4002) == .close)
    plan.closed(left: 2)
    #expect(plan.committed(length: 4060) == .nothing)
    #expect(plan.committed(length: 4066) == .close)
    plan.closed(left: 0)
    // All pages are in the database, but the log was not restarted because of a reader.
    #expect(plan.committed(length: 4068) == .nothing)
    #expect(plan.committed(length: 4130) == .close)
  }

  @Test func `the writer does not copy the backlog of a long read`() {
    _ = plan.committed(length: 4000)
    _ = plan.passed(length: 4000, left: 0)
    #expect(plan.committed(length: 4001) == .close)
    plan.closed(left: 0)
    #expect(plan.committed(length: 8001) == .pass)
    // The pass makes no progress because of the read.
    #expect(!plan.passed(length: 8001, left: 4000))
    #expect(plan.committed(length: 12_000) == .nothing)
    #expect(plan.committed(length: 12_001) == .pass)
    #expect(!plan.passed(length: 12_001, left: 0))
    #expect(plan.committed(length: 12_001) == .close)
  }

  @Test func `a failed pass is retried when the log has grown`() {
    _ = plan.committed(length: 4000)
    plan.failed()
    #expect(plan.committed(length: 4063) == .nothing)
    #expect(plan.committed(length: 4064) == .pass)
    #expect(!plan.passed(length: 4064, left: 0))
    #expect(plan.committed(length: 4065) == .close)
    plan.failed()
    #expect(plan.committed(length: 4066) == .nothing)
    #expect(plan.committed(length: 4129) == .pass)
  }

  @Test func `a log that restarts during a pass counts as new`() {
    _ = plan.committed(length: 4000)
    #expect(plan.committed(length: 3) == .nothing)
    #expect(!plan.passed(length: 4000, left: 0))
    #expect(plan.committed(length: 4) == .close)
    plan.closed(left: 0)
    #expect(plan.committed(length: 5) == .nothing)
  }
}

/// A plan whose results are compared with expectations.
private final class PlanUnderTest {
  private var plan = CheckpointPlan()

  func committed(length: Int) -> CheckpointPlan.Step { plan.committed(length: length) }
  func passed(length: Int, left: Int) -> Bool { plan.passed(length: length, left: left) }
  func closed(left: Int) { plan.closed(left: left) }
  func failed() { plan.failed() }
}
