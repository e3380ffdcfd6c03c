import PostgresLog
import PostgresServers
import ReactorLog
import Synchronization
import TestSupport
import Testing

/// Connections and servers that end in the middle of groups.
struct FaultTests {
  /// Appends to sessions until it is stopped, and counts what the store has confirmed.
  private final class Load: Sendable {
    private let isStopped = Atomic(false)
    private let confirmed = Atomic(0)

    var count: Int { confirmed.load(ordering: .relaxed) }

    func stop() { isStopped.store(true, ordering: .relaxed) }

    /// - Returns: The last confirmed version of each session.
    func run(on log: PostgresLog, sessions: Int) async throws -> [Int] {
      try await withThrowingTaskGroup(of: (Int, Int).self) { group in
        for place in 0..<sessions {
          group.addTask { [self] in
            let session = log.demo("s\(place)")
            var version = 0
            while !isStopped.load(ordering: .relaxed) {
              // Neither lost nor unknown: the group is found after the connection, or repeated.
              do {
                try await session.append(version + 1...version + 1, to: "one")
              } catch {
                Issue.record("\(session) \(version + 1): \(error)")
                throw error
              }
              version += 1
              confirmed.add(1, ordering: .relaxed)
            }
            return (place, version)
          }
        }
        var versions = [Int](repeating: 0, count: sessions)
        for try await (place, version) in group { versions[place] = version }
        return versions
      }
    }
  }

  private func check(_ log: PostgresLog, _ versions: [Int]) throws {
    for (place, version) in versions.enumerated() {
      var stored: [Int] = []
      while case let page = try log.demo("s\(place)").entries(after: stored.last ?? 0, limit: 1000),
        !page.isEmpty
      {
        stored += page.map(\.version)
      }
      #expect(stored == Array(1..<version + 1))
    }
  }

  @Test func `every append succeeds once while the server ends all connections again and again`()
    async throws
  {
    let server = try PostgresServer()
    let log = try PostgresLog(newStore(at: server))
    let load = Load()
    async let versions = load.run(on: log, sessions: 16)
    for round in 1...20 {
      try await wait(until: { load.count >= round * 40 })
      try server.query(
        """
        select pg_terminate_backend(pid) from pg_stat_activity
        where application_name = 'reactord' and pid <> pg_backend_pid()
        """)
    }
    let before = load.count
    try await wait(until: { load.count > before + 100 })
    load.stop()
    try check(log, try await versions)
    #expect(log.failure == nil)
    #expect(log.close())
  }

  @Test func `every append succeeds once while the server is killed and started`() async throws {
    let server = try PostgresServer()
    let log = try PostgresLog(newStore(at: server))
    let load = Load()
    async let versions = load.run(on: log, sessions: 16)
    for round in 1...4 {
      try await wait(until: { load.count >= round * 40 })
      try server.kill()
      try server.start()
    }
    let before = load.count
    try await wait(until: { load.count > before + 100 })
    load.stop()
    try check(log, try await versions)
    #expect(log.close())
  }

  @Test func `without a server a write is unavailable or its fate unknown, and later ones succeed`()
    async throws
  {
    let server = try PostgresServer()
    let log = try PostgresLog(newStore(at: server, wait: .milliseconds(300)))
    // The connection needs time that the limit does not permit.
    var version = 0
    while version == 0 {
      if (try? await log.demo().append(1...1, to: "one")) != nil { version = 1 }
    }
    try server.kill()
    do {
      try await log.demo().append(2...2, to: "one")
      Issue.record("an append without a server succeeded")
    } catch LogError.unavailable, LogError.unknown {}
    #expect(log.failure != nil)
    try server.start()
    try await wait(until: { log.failure == nil })
    let stored = try #require(try log.demo().stored)
    #expect((1...2).contains(stored.version))
    let next = stored.version + 1
    while true {
      do {
        try await log.demo().append(next...next, to: "one")
        break
      } catch LogError.unavailable {} catch LogError.unknown {
        if try log.demo().stored?.version == next { break }
      }
    }
    #expect(try log.demo().entries(after: 0, limit: 9).map(\.version) == Array(1...next))
    log.close(within: .seconds(5))
  }

  @Test func `a value that the database rejects fails its own append only`() async throws {
    let log = try PostgresLog(newStore())
    try await withThrowingTaskGroup(of: Void.self) { group in
      for place in 0..<20 {
        group.addTask {
          let session = log.demo("s\(place)")
          guard place == 7 else { return try await session.append(1...1, to: "one") }
          let bad = LogEntry(
            version: 1, at: Timestamp(milliseconds: 1), action: nil,
            global: .init(name: "a\u{0}b", revision: 1), mutation: [0x31])
          await #expect(throws: LogError.self) {
            try await session.append(LogBatch([bad]), to: "one", expecting: 0)
          }
        }
      }
      try await group.waitForAll()
    }
    let listed = try waitForResult {
      log.sessions(of: "counter", after: nil, limit: 100, completion: $0)
    }
    #expect(listed.count == 19)
    #expect(log.failure == nil)
    #expect(log.close())
  }
}
