import Brokers
import ReactorLog
import Telemetry
import Testing

@testable import NATSLog

/// The confirmation that a session has no changes of another process.
@Suite(.serialized) struct EndConfirmationTests {
  private func confirm(_ session: any SessionLog, at version: Int) async throws {
    try await wait { session.confirmEnd(of: "one", at: { version }, completion: $0) }
  }

  @Test func `the end is confirmed by the writer that knows it, and changes nothing`() async throws
  {
    let store = try TestStore()
    let log = try await store.open()
    defer { log.close() }
    let session = log.counter()
    try await session.append(1...3)
    try await confirm(session, at: 3)
    try await session.append(4...5)
    try await confirm(session, at: 5)
    #expect(try await session.entries(after: 0, limit: 9) == (1...5).map { LogEntry(counted: $0) })
    let loaded = try await log.counter().load()
    guard case .stored(let stored) = loaded.record else {
      Issue.record("\(loaded.record)")
      return
    }
    #expect(stored.version == 5)
    #expect(stored.lastActiveAt == LogEntry(counted: 5).at)
  }

  @Test func `the confirmation of a displaced writer fails with the new writer`() async throws {
    var store = try TestStore()
    let one = try await store.open()
    store.settings.node = "n2"
    let two = try await store.open()
    defer { _ = (one.close(), two.close()) }
    let (first, second) = (one.counter(), two.counter())
    try await first.append(1...1)
    _ = try await second.load()
    try await second.append(2...2)
    // The fence rejects the first attempt; the second one reads the end of the log first, and must
    // fail in the same way.
    for _ in 0..<2 {
      let error = await #expect(throws: LogError.self) { try await confirm(first, at: 1) }
      #expect(error == .lost(to: NodeID(two.store.engine.writer)))
    }
    _ = try await second.load()
    try await confirm(second, at: 2)
    try await second.end()
    await #expect(throws: LogError.self) { try await confirm(second, at: 2) }
  }

  @Test func `a session that is not stored stays so, until another process stores it`() async throws
  {
    let store = try TestStore()
    let (one, two) = (try await store.open(), try await store.open())
    defer { _ = (one.close(), two.close()) }
    let session = one.counter("absent")
    #expect(try await session.load().record == .none)
    try await confirm(session, at: 0)
    #expect(try await one.store.logSubjects(0) + one.store.logSubjects(1) == [])
    try await two.counter("absent").append(1...1)
    await #expect(throws: LogError.self) { try await confirm(session, at: 0) }
  }

  /// Each confirmation is a message of the log.
  @Test func `many requests share a confirmation`() async throws {
    let log = try await TestStore().open()
    defer { log.close() }
    let session = log.counter()
    try await session.append(1...1)
    let before = log.store.engine.counters.appends.value
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<500 { group.addTask { try await confirm(session, at: 1) } }
      try await group.waitForAll()
    }
    #expect((1..<250).contains(log.store.engine.counters.appends.value - before))
  }

  @Test func `without a broker nothing is confirmed`() async throws {
    let broker = try Broker()
    var store = try TestStore(broker.url)
    store.settings.wait = .seconds(1)
    let log = try await store.open()
    defer { log.close(within: .zero) }
    let session = log.counter()
    let absent = log.counter("absent")
    try await session.append(1...1)
    _ = try await absent.load()
    broker.pause()
    for (session, version) in [(session, 1), (absent, 0)] {
      let error = await #expect(throws: LogError.self) {
        try await confirm(session, at: version)
      }
      guard case .unavailable = error else {
        Issue.record("\(String(describing: error))")
        continue
      }
    }
    broker.resume()
    // A confirmation fails immediately while the connection is interrupted: repeat it.
    while (try? await confirm(session, at: 1)) == nil {
      try await Task.sleep(for: .milliseconds(10))
    }
  }
}
