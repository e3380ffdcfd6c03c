import Glibc
import PostgresLog
import PostgresServers
import ReactorLog
import Synchronization
import TestSupport
import Testing

/// Processes that take sessions over from each other.
@Suite(.serialized) struct TakeoverTests {
  /// A retention of changes that the times of the entries, which are in 2023, do not exceed.
  private let kept = Duration.seconds(100 * 365 * 86_400)

  private func newLogs(_ settings: PostgresLog.Settings, _ count: Int) throws -> [PostgresLog] {
    try (0..<count).map { place in
      var settings = settings
      settings.node = "n\(place + 1)"
      return try PostgresLog(settings)
    }
  }

  /// A session as its owner has it in memory.
  private struct Copy: Sendable {
    let session: any SessionLog
    var version: Int

    init(_ log: PostgresLog, _ id: String = "demo") throws {
      session = log.demo(id)
      if case .stored(let stored) = try session.load().record {
        version = stored.version
      } else {
        version = 0
      }
    }

    mutating func append(_ writer: String) async throws {
      let entry = LogEntry(counted: version + 1, by: writer)
      try await session.append(LogBatch([entry]), to: "one", expecting: version)
      version += 1
    }
  }

  /// The writers of the entries that the store has confirmed, by session and version.
  private final class Ledger: Sendable {
    let isStopped = Atomic(false)
    let accepted = Mutex<[String: [Int: String]]>([:])

    var count: Int { accepted.withLock { $0.values.reduce(0) { $0 + $1.count } } }

    /// Appends as an owner that loads the session again whenever it has lost it.
    func run(_ log: PostgresLog, _ id: String, as writer: String) async throws {
      var copy = try Copy(log, id)
      while !isStopped.load(ordering: .relaxed) {
        do {
          try await copy.append(writer)
          let version = copy.version
          let other = accepted.withLock {
            $0[id, default: [:]].updateValue(writer, forKey: version)
          }
          #expect(other == nil, "\(id) \(version) of \(writer)")
        } catch LogError.lost {
          copy = try Copy(log, id)
        }
      }
    }
  }

  @Test func `the first append of a new owner takes the session, and the former owner loses it`()
    async throws
  {
    let logs = try newLogs(try newStore(), 2)
    var former = try Copy(logs[0])
    for _ in 1...3 { try await former.append("n1") }
    // A session that another process has read only still belongs to its owner, whose append takes it back.
    var new = try Copy(logs[1])
    try await former.append("n1")
    await #expect(throws: LogError.conflict) { try await new.append("n2") }
    #expect(try new.session.lastWriter()?.name == "n1")
    var taken = try Copy(logs[1])
    try await taken.append("n2")
    #expect(try taken.session.lastWriter()?.name == "n2")
    #expect(try taken.session.lastWriter()?.incarnation == logs[1].incarnation)
    for _ in 0..<3 {
      await #expect(throws: LogError.conflict) { try await former.append("n1") }
    }
    #expect(throws: LogError.conflict) { try confirm(former) }
    try confirm(taken)
    // The next load of the former owner takes the session back.
    var again = try Copy(logs[0])
    try await again.append("n1")
    await #expect(throws: LogError.conflict) { try await taken.append("n2") }
    let writers = try taken.session.entries(after: 0, limit: 99).map(\.by)
    #expect(writers == ["n1", "n1", "n1", "n1", "n2", "n1"])
    for log in logs { #expect(log.close()) }
  }

  @Test func `an owner that is displaced loses everything that it writes, not entries alone`()
    async throws
  {
    let logs = try newLogs(try newStore(), 2)
    var former = try Copy(logs[0])
    try await former.append("n1")
    let new = try Copy(logs[1])
    // The new owner has accepted an action, without an entry: the version is still that of the former owner.
    let id = AcceptedAction.ID(request: 1, place: 0)
    let accepted = AcceptedAction(
      id: id, action: Array("1".utf8), isInArray: false, key: nil, principal: nil, context: nil,
      at: Timestamp(milliseconds: 1), runs: 1, failure: nil, sendName: nil)
    try await new.session.append(LogBatch(accepted: [accepted]), to: "one", expecting: 1)
    let key = IdempotencyKey("k", for: [1])
    let outcome = StoredOutcome(key: key, at: .now, version: 1, failure: nil)
    let batches = [
      LogBatch(finished: [id]), LogBatch(outcomes: [outcome]),
      LogBatch([LogEntry(counted: 2)], finished: [id], outcomes: [outcome]),
    ]
    for batch in batches {
      await #expect(throws: LogError.conflict) {
        try await former.session.append(batch, to: "one", expecting: 1)
      }
    }
    let loaded = try new.session.load()
    #expect(loaded.acceptedActions.map(\.id) == [id])
    let unfinished = try logs[0].unfinishedSessions(after: nil, limit: 9)
    #expect(unfinished.map(\.id) == ["demo"])
    let stored = try new.session.outcome(of: key.name)
    #expect(stored == nil)
    #expect(try new.session.stored?.version == 1)
    for log in logs { #expect(log.close()) }
  }

  @Test func `owners that displace each other while their connections are ended leave one history`()
    async throws
  {
    let server = try PostgresServer()
    let settings = try newStore(at: server, changes: kept)
    let logs = try newLogs(settings, 3)
    let ids = (0..<6).map { "s\($0)" }
    let ledger = Ledger()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (place, log) in logs.enumerated() {
        for id in ids { group.addTask { try await ledger.run(log, id, as: "n\(place + 1)") } }
      }
      for round in 1...5 {
        try await wait(until: { ledger.count >= round * 60 })
        try server.query(
          "select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid()")
      }
      try await wait(until: { ledger.count >= 400 })
      ledger.isStopped.store(true, ordering: .relaxed)
      try await group.waitForAll()
    }
    let changes = try await settledChanges(logs)
    for id in ids {
      let entries = try logs[0].demo(id).entries(after: 0, limit: 10_000)
      #expect(entries.map(\.version) == Array(1..<entries.count + 1))
      let stored = Dictionary(uniqueKeysWithValues: entries.map { ($0.version, $0.by ?? "") })
      #expect(stored == ledger.accepted.withLock { $0[id, default: [:]] })
      // Each process reads each entry in the feed once, in order.
      let versions = changes.filter { $0.key?.id == id && $0.cursor.version > 0 }
        .map(\.cursor.version)
      #expect(versions == Array(1..<entries.count + 1))
    }
    for log in logs { #expect(log.close()) }
  }

  @Test func `a group that waits at the server for a takeover is lost with the takeover's commit`()
    async throws
  {
    let server = try PostgresServer()
    let settings = try newStore(at: server, changes: kept)
    let logs = try newLogs(settings, 2)
    var former = try Copy(logs[0])
    try await former.append("n1")
    let new = try Copy(logs[1])
    // The takeover has moved the head, and waits for the feed before its commit.
    let transaction = try OpenTransaction(server)
    try transaction.execute("begin; update \(settings.schema).feed set number = number;")
    let results = Mutex<[String: Result<Void, LogError>]>([:])
    func append(_ copy: Copy, _ writer: String, _ count: Int) {
      let entries = (1...count).map { LogEntry(counted: copy.version + $0, by: writer) }
      copy.session.append(LogBatch(entries), to: "one", expecting: copy.version) { result in
        results.withLock { $0[writer] = result }
      }
    }
    func waitForLocks(_ count: Int) async throws {
      try await wait(until: {
        try server.query("select count(*) from pg_locks where not granted") == "\(count)"
      })
    }
    append(new, "n2", 1)
    try await waitForLocks(1)
    append(former, "n1", 2)
    try await waitForLocks(2)
    #expect(results.withLock { $0.isEmpty })
    try transaction.execute("rollback;")
    try await wait(until: { results.withLock { $0.count } == 2 })
    try results.withLock { try #require($0["n2"]).get() }
    #expect(throws: LogError.conflict) { try results.withLock { try #require($0["n1"]).get() } }
    #expect(try new.session.entries(after: 0, limit: 9).map(\.by) == ["n1", "n2"])
    let changes = try await settledChanges(logs)
    #expect(changes.filter { $0.cursor.version > 0 }.map(\.cursor.version) == [1, 2])
    for log in logs { #expect(log.close()) }
  }

  @Test func `an owner that was paused at its server loses its next append after a takeover`()
    async throws
  {
    let server = try PostgresServer()
    let logs = try newLogs(try newStore(at: server), 2)
    var former = try Copy(logs[0])
    try await former.append("n1")
    // Its writer stops as on a machine that is paused: the group is sent, and executed after the takeover.
    let writer = try server.query(
      "select pid from pg_stat_activity where query like '%.mutations%' and pid <> pg_backend_pid()"
    )
    let pid = try #require(Int32(writer))
    #expect(kill(pid, SIGSTOP) == 0)
    let sent = Task { [former] in
      var former = former
      try await former.append("n1")
    }
    var new = try Copy(logs[1])
    for _ in 1...3 { try await new.append("n2") }
    #expect(kill(pid, SIGCONT) == 0)
    await #expect(throws: LogError.conflict) { try await sent.value }
    await #expect(throws: LogError.conflict) { try await former.append("n1") }
    try await new.append("n2")
    #expect(
      try new.session.entries(after: 0, limit: 9).map(\.by) == ["n1", "n2", "n2", "n2", "n2"])
    for log in logs { #expect(log.close()) }
  }

  private func settledChanges(_ logs: [PostgresLog]) async throws -> [StoreChange] {
    var all: [[StoreChange]] = []
    for log in logs {
      let feed = try #require(log.changes)
      let other = try #require(logs[0].changes)
      try await wait(until: { feed.latest == other.latest })
    }
    let latest = logs.compactMap { $0.changes?.latest }.max() ?? 0
    for log in logs {
      let feed = try #require(log.changes)
      try await wait(until: { feed.latest >= latest })
      var changes: [StoreChange] = []
      while let page = try? feed.changes(after: changes.last?.number ?? 0, limit: 1000),
        !page.isEmpty
      {
        changes += page
      }
      #expect(changes.map(\.number) == Array(1..<changes.count + 1))
      all.append(changes)
    }
    for changes in all { #expect(changes == all[0]) }
    return all[0]
  }

  private func confirm(_ copy: Copy) throws {
    try copy.session.confirmEnd(of: "one") { copy.version }
  }
}
