import PostgresLog
import PostgresServers
import ReactorLog
import TestSupport
import Testing

/// The order of changes that several processes commit.
struct FeedTests {
  private let kept = Duration.seconds(315_360_000)

  @Test func `a number is not visible before the one below it, if the commit of that is delayed`()
    async throws
  {
    let server = try PostgresServer.shared.get()
    let settings = try newStore(changes: kept)
    let log = try PostgresLog(settings)
    let feed = try #require(log.changes)
    try await log.demo("a").append(1...1, to: "one")
    try await wait(until: { feed.latest == 2 })
    let latest = feed.latest
    // Another process has taken the next number, and its commit is delayed.
    let table = "\(settings.schema)"
    let delayed = try OpenTransaction(server)
    try delayed.execute(
      """
      begin; update \(table).feed set number = number + 1;
      insert into \(table).changes values (0, \(latest + 1), 3, null, 'motto', 'e', 1, 0, null, 1, null);
      """)
    async let append: Void = log.demo("b").append(1...1, to: "one")
    // The append waits for the number, and no reader sees one of its changes meanwhile.
    let waiting = "select count(*) from pg_stat_activity where wait_event_type = 'Lock'"
    try await wait(until: { try server.query(waiting) != "0" })
    #expect(try feed.changes(after: latest, limit: 9).isEmpty)
    #expect(
      try server.query("select max(number) from \(table).changes") == "\(latest)")
    try delayed.execute("commit;")
    try await append
    try await wait(until: { feed.latest >= latest + 3 })
    #expect(try feed.changes(after: 0, limit: 9).map(\.number) == Array(1...latest + 3))
    #expect(try feed.changes(after: latest, limit: 1).first?.key == nil)
    #expect(log.close())
  }

  @Test func `a process knows the changes of another one before it has published them`()
    async throws
  {
    let settings = try newStore(changes: kept)
    let logs = [try PostgresLog(settings), try PostgresLog(settings)]
    let feeds = try logs.map { try #require($0.changes) }
    for version in 1...20 {
      try await logs[0].demo().append(version...version, to: "one")
      #expect(try feeds[1].latestCommitted() >= feeds[0].latest)
      #expect(try feeds[1].latestCommitted() == version + 1)
    }
    for log in logs { #expect(log.close()) }
  }

  @Test func `two processes write one order without gaps, which both read`() async throws {
    let settings = try newStore(changes: kept)
    let logs = [try PostgresLog(settings), try PostgresLog(settings)]
    try await withThrowingTaskGroup(of: Void.self) { group in
      for place in 0..<8 {
        group.addTask {
          for version in 1...25 {
            try await logs[place % 2].demo("s\(place)").append(version...version, to: "one")
          }
        }
      }
      try await group.waitForAll()
    }
    let count = 8 * 26
    for log in logs {
      let feed = try #require(log.changes)
      try await wait(until: { feed.latest == count })
      let changes = try feed.changes(after: 0, limit: 1000)
      #expect(changes.map(\.number) == Array(1...count))
      for place in 0..<8 {
        let versions = changes.filter { $0.key?.id == "s\(place)" }.map(\.cursor.version)
        #expect(versions == Array(0...25))
      }
      #expect(log.close())
    }
  }
}
