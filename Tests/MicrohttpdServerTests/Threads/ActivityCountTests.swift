internal import Testing

@testable internal import MicrohttpdServer

@Suite struct ActivityCountTests {
  @Test func `nothing going on is not waited for`() throws {
    #expect(try ActivityCount().waitUntilIdle(deadline: 0))
  }

  @Test func `the deadline ends the waiting`() throws {
    let count = try ActivityCount()
    count.enter()
    #expect(!count.waitUntilIdle(deadline: Clock.milliseconds + 5))
    count.leave()
    #expect(count.waitUntilIdle(deadline: 0))
  }

  @Test func `the waiter hears of the last one that leaves, every time`() throws {
    let count = try ActivityCount()
    for _ in 1...500 {
      count.enter()
      count.enter()
      let threads = (0..<2).map { _ in TestThread { count.leave() } }
      #expect(count.waitUntilIdle(deadline: Clock.milliseconds + 20_000))
      for thread in threads { thread.join() }
    }
  }
}
