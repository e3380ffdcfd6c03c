internal import Synchronization
internal import SystemThreads
internal import Testing

@Suite struct ThreadPoolTests {
  @Test func `one thread executes functions in the order in which they were added`() throws {
    let pool = try #require(ThreadPool(threads: 1))
    let executed = Mutex<[Int]>([])
    let done = Semaphore()
    for number in 0..<5000 {
      pool.execute {
        executed.withLock { $0.append(number) }
        if number == 4999 { done.signal() }
      }
    }
    #expect(done.wait(seconds: 60))
    #expect(executed.withLock { $0 } == Array(0..<5000))
    pool.close()
  }

  @Test func `several threads execute functions at the same time`() throws {
    let pool = try #require(ThreadPool(threads: 2))
    let (one, other, done) = (Semaphore(), Semaphore(), Semaphore())
    pool.execute {
      one.signal()
      if other.wait(seconds: 60) { done.signal() }
    }
    pool.execute {
      other.signal()
      if one.wait(seconds: 60) { done.signal() }
    }
    #expect(done.wait(seconds: 60) && done.wait(seconds: 60))
    pool.close()
  }

  @Test func `a closed pool releases functions without executing them`() throws {
    final class Captured: Sendable {}
    let pool = try #require(ThreadPool(threads: 1))
    let (entered, release) = (Semaphore(), Semaphore())
    pool.execute {
      entered.signal()
      _ = release.wait(seconds: 60)
    }
    #expect(entered.wait(seconds: 60))
    var captured: Captured? = Captured()
    weak let watched = captured
    pool.execute { [captured] in _ = captured }
    captured = nil
    #expect(watched != nil)
    pool.close()
    #expect(watched == nil)
    captured = Captured()
    weak let late = captured
    pool.execute { [captured] in _ = captured }
    captured = nil
    #expect(late == nil)
    release.signal()
  }
}
