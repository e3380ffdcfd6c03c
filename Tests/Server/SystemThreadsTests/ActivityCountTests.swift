internal import SystemThreads
internal import Testing

@Suite struct ActivityCountTests {
  @Test func `a count of 0 is idle at once`() throws {
    let count = try #require(ActivityCount())
    #expect(count.waitUntilIdle(deadline: 0))
  }

  @Test func `the deadline ends the wait`() throws {
    let count = try #require(ActivityCount())
    count.enter()
    #expect(!count.waitUntilIdle(deadline: Clock.milliseconds + 5))
    count.leave()
    #expect(count.waitUntilIdle(deadline: 0))
  }

  @Test func `the last activity that ends wakes the waiter, every time`() throws {
    let count = try #require(ActivityCount())
    for _ in 1...500 {
      count.enter()
      count.enter()
      for _ in 0..<2 { _ = SystemThread(named: "leaving") { count.leave() } }
      #expect(count.waitUntilIdle(deadline: Clock.milliseconds + 60_000))
    }
  }
}
