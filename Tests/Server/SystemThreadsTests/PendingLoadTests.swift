internal import SystemThreads
internal import Testing

@Suite struct PendingLoadTests {
  @Test func `a request of any size is admitted if it is the only one`() {
    let load = PendingLoad()
    #expect(load.admit(bytes: .max))
    #expect(!load.admit(bytes: 0))
    load.remove(bytes: .max)
    #expect(load.admit(bytes: 0))
  }

  @Test func `the number of requests is bounded, except for those without a size`() {
    let load = PendingLoad()
    for _ in 0..<65_536 { #expect(load.admit(bytes: 0)) }
    #expect(!load.admit(bytes: 0))
    load.add()
    load.remove(2)
    #expect(load.admit(bytes: 0))
  }

  @Test func `all threads that wait are woken`() {
    let load = PendingLoad()
    load.waitUntilIdle(within: .seconds(60))
    load.add()
    #expect(!load.waitUntilEnded(within: .milliseconds(1)))
    _ = SystemThread(named: "ending") {
      while !load.idlenessIsAwaited {}
      load.remove()
      load.end()
    }
    load.waitUntilIdle(within: .seconds(60))
    for _ in 0..<2 { #expect(load.waitUntilEnded(within: .seconds(60))) }
  }
}
