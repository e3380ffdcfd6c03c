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
    // A read in a busy moment may exceed the limit as well.
    func read<Value>(_ body: () throws -> Value) throws -> Value {
      while true {
        do { return try body() } catch LogError.unavailable {}
      }
    }
    let stored = try #require(try read { try log.demo().stored })
    #expect((1...2).contains(stored.version))
    let next = stored.version + 1
    while true {
      do {
        try await log.demo().append(next...next, to: "one")
        break
      } catch LogError.unavailable {} catch LogError.unknown {
        if try read({ try log.demo().stored?.version }) == next { break }
      }
    }
    let entries = try read { try log.demo().entries(after: 0, limit: 9) }
    #expect(entries.map(\.version) == Array(1...next))
    log.close(within: .seconds(5))
  }

  @Test func `a read from a server that has stopped fails in time`() async throws {
    let server = try PostgresServer()
    let log = try PostgresLog(newStore(at: server, wait: .milliseconds(300)))
    #expect(try log.demo().stored == nil)
    try server.pause()
    #expect(throws: LogError.self) { try log.demo().stored }
    #expect(throws: LogError.self) { try log.demo().stored }
    try server.resume()
    try await wait(until: { (try? log.demo().stored == nil) == true })
    log.close(within: .seconds(5))
  }

  @Test func `a read after an unknown outcome has that change, or the session never gets it`()
    async throws
  {
    let server = try PostgresServer()
    let settings = try newStore(at: server, wait: .milliseconds(300))
    let log = try PostgresLog(settings)
    func append(_ version: Int, to id: String) async -> Result<Void, any Error> {
      do { return .success(try await log.demo(id).append(version...version, to: "one")) } catch {
        return .failure(error)
      }
    }
    for round in 1...10 {
      let id = "s\(round)"
      while case .failure = await append(1, to: id) {}
      let (sessions, writers) = (try OpenTransaction(server), try OpenTransaction(server))
      try sessions.execute("begin; lock table \(settings.schema).sessions in share mode;")
      try writers.execute("begin; lock table \(settings.schema).writers in share mode;")
      guard case .failure(LogError.unknown) = await append(2, to: id) else {
        Issue.record("an append was written to a table that is locked")
        return
      }
      try sessions.execute("commit;")
      let version = try? log.demo(id).stored?.version
      try writers.execute("commit;")
      try await wait(until: { log.failure == nil })
      if let version { #expect(try log.demo(id).stored?.version == version) }
    }
    log.close(within: .seconds(5))
  }

  @Test func `a statement without a reader ends`() async throws {
    let server = try PostgresServer()
    let settings = try newStore(at: server, wait: .milliseconds(300))
    let log = try PostgresLog(settings)
    let transaction = try OpenTransaction(server)
    try transaction.execute("begin; lock table \(settings.schema).sessions;")
    #expect(throws: LogError.self) { try log.demo().stored }
    try await wait(until: {
      try server.query(
        "select count(*) from pg_locks where not granted and mode = 'AccessShareLock'") == "0"
    })
    try transaction.execute("commit;")
    log.close(within: .seconds(5))
  }

  /// Waits until a group of the writer waits for a row that another transaction has locked.
  private func waitForLock(at server: PostgresServer) async throws {
    try await wait(until: {
      try server.query("select count(*) > 0 from pg_locks where not granted") == "t"
    })
  }

  @Test func `a write that arrives alone beside a larger group is written after it`() async throws {
    let server = try PostgresServer()
    // The writer sleeps for an hour at most: a write that does not wake it is late.
    let settings = try newStore(at: server, wait: .seconds(600))
    let log = try PostgresLog(settings)
    for place in 1...4 { try await log.demo("s\(place)").append(1...1, to: "one") }
    let written = Mutex<[String: Result<Void, LogError>]>([:])
    func append(to id: String) {
      log.demo(id).append(LogBatch([LogEntry(counted: 2)]), to: "one", expecting: 1) { result in
        written.withLock { $0[id] = result }
      }
    }
    func waitFor(_ id: String) async throws {
      try await wait(until: { written.withLock { $0[id] != nil } })
      try written.withLock { try $0[id]?.get() }
    }
    let (first, second) = (try OpenTransaction(server), try OpenTransaction(server))
    for (transaction, id) in [(first, "s1"), (second, "s2")] {
      try transaction.execute(
        "begin; update \(settings.schema).sessions set active = active where session = '\(id)';")
    }
    append(to: "s1")
    try await waitForLock(at: server)
    // A group of two, which waits for the second transaction.
    append(to: "s2")
    append(to: "s3")
    try first.execute("rollback;")
    try await waitFor("s1")
    try await waitForLock(at: server)
    append(to: "s4")
    try second.execute("rollback;")
    for id in ["s2", "s3", "s4"] { try await waitFor(id) }
    #expect(log.close())
  }

  @Test func `a connection that the server has not seen ending does not delay the next one`()
    async throws
  {
    let server = try PostgresServer()
    let settings = try newStore(at: server, wait: .seconds(30))
    let log = try PostgresLog(settings)
    try await log.demo().append(1...1, to: "one")
    // A group of an earlier connection holds the row of the writer, and its end does not arrive.
    let former = try OpenTransaction(server)
    try former.execute("begin; update \(settings.schema).writers set name = name;")
    try server.query(
      """
      select pg_terminate_backend(pid) from pg_stat_activity
      where application_name = 'reactord' and pid <> pg_backend_pid()
      """)
    try await log.demo().append(2...2, to: "one")
    #expect(try log.demo().entries(after: 0, limit: 9).map(\.version) == [1, 2])
    #expect(log.close())
  }

  @Test func `a full disk is an error of its own, and writes succeed when there is space`()
    async throws
  {
    let server = try PostgresServer.shared.get()
    let settings = try newStore()
    let log = try PostgresLog(settings)
    try await log.demo().append(1...1, to: "one")
    try server.query(
      """
      create function \(settings.schema).fill() returns trigger language plpgsql as
        $$ begin raise exception 'could not extend file' using errcode = 'disk_full'; end $$;
      create trigger fill before insert on \(settings.schema).mutations
        execute function \(settings.schema).fill();
      """)
    await #expect(throws: LogError.full) { try await log.demo().append(2...2, to: "one") }
    try server.query("drop trigger fill on \(settings.schema).mutations")
    try await log.demo().append(2...2, to: "one")
    #expect(log.failure == nil)
    #expect(log.close())
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
    let listed = try log.sessions(of: "counter", after: nil, limit: 100)
    #expect(listed.count == 19)
    #expect(log.failure == nil)
    #expect(log.close())
  }
}
