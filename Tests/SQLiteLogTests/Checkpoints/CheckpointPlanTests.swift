import Testing

@testable import SQLiteLog

/// When the write-ahead log is brought into the database, and by whom.
@Suite struct CheckpointPlanTests {
  private let plan = PlanUnderTest()

  @Test func `a log that is short is left alone, and a long one is passed over once`() {
    #expect(plan.committed(length: 3999) == .nothing)
    #expect(plan.committed(length: 4000) == .pass)
    #expect(plan.committed(length: 4100) == .nothing)
  }

  @Test func `passes follow one another until little is left, which is the writer's`() {
    _ = plan.committed(length: 4000)
    _ = plan.committed(length: 4700)
    #expect(plan.passed(length: 4000, left: 0))
    _ = plan.committed(length: 4800)
    #expect(plan.passed(length: 4700, left: 0))
    _ = plan.committed(length: 4864)
    #expect(!plan.passed(length: 4800, left: 0))
    #expect(plan.committed(length: 4866) == .close)
    plan.closed(left: 0)
    // The next commit starts the log over.
    #expect(plan.committed(length: 2) == .nothing)
    #expect(plan.committed(length: 3999) == .nothing)
    #expect(plan.committed(length: 4000) == .pass)
  }

  @Test func `passes that leave no less than the one before are given up`() {
    _ = plan.committed(length: 4000)
    _ = plan.committed(length: 5000)
    #expect(plan.passed(length: 4000, left: 0))
    _ = plan.committed(length: 6000)
    #expect(!plan.passed(length: 5000, left: 0))
    #expect(plan.committed(length: 6001) == .close)
  }

  @Test func `a log that grows faster than a pass goes is the writer's, who waits`() {
    _ = plan.committed(length: 4000)
    #expect(plan.committed(length: 15_999) == .nothing)
    #expect(plan.committed(length: 16_000) == .close)
    // The pass that it waited for says so only now.
    #expect(!plan.passed(length: 4000, left: 0))
    plan.closed(left: 0)
    #expect(plan.committed(length: 1) == .nothing)
    #expect(plan.committed(length: 4000) == .pass)
  }

  @Test func `nor does the log grow for good where each pass leaves but little less`() {
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

  @Test func `while somebody reads, the writer tries again now and then`() {
    _ = plan.committed(length: 4000)
    _ = plan.passed(length: 4000, left: 0)
    #expect(plan.committed(length: 4002) == .close)
    plan.closed(left: 2)
    #expect(plan.committed(length: 4060) == .nothing)
    #expect(plan.committed(length: 4066) == .close)
    plan.closed(left: 0)
    // All is in the database, and yet the log goes on: somebody read it at that moment.
    #expect(plan.committed(length: 4068) == .nothing)
    #expect(plan.committed(length: 4130) == .close)
  }

  @Test func `what somebody has read for long is too much for the writer`() {
    _ = plan.committed(length: 4000)
    _ = plan.passed(length: 4000, left: 0)
    #expect(plan.committed(length: 4001) == .close)
    plan.closed(left: 0)
    #expect(plan.committed(length: 8001) == .pass)
    // Nor does a pass get on.
    #expect(!plan.passed(length: 8001, left: 4000))
    #expect(plan.committed(length: 12_000) == .nothing)
    #expect(plan.committed(length: 12_001) == .pass)
    #expect(!plan.passed(length: 12_001, left: 0))
    #expect(plan.committed(length: 12_001) == .close)
  }

  @Test func `what has failed is tried again when there is more`() {
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

  @Test func `a log that starts over during a pass is new`() {
    _ = plan.committed(length: 4000)
    #expect(plan.committed(length: 3) == .nothing)
    #expect(!plan.passed(length: 4000, left: 0))
    #expect(plan.committed(length: 4) == .close)
    plan.closed(left: 0)
    #expect(plan.committed(length: 5) == .nothing)
  }
}

/// A plan that is changed within expectations.
private final class PlanUnderTest {
  private var plan = CheckpointPlan()

  func committed(length: Int) -> CheckpointPlan.Step { plan.committed(length: length) }
  func passed(length: Int, left: Int) -> Bool { plan.passed(length: length, left: left) }
  func closed(left: Int) { plan.closed(left: left) }
  func failed() { plan.failed() }
}
