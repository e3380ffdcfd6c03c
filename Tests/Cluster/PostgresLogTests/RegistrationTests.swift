import PostgresServers
import ReactorLog
import TestSupport
import Testing

@testable import PostgresLog

/// The registration of a writer that connects again.
struct RegistrationTests {
  @Test func `the rows of processes that ended a day ago are deleted, and no other`() async throws {
    let server = try PostgresServer.shared.get()
    let settings = try newStore()
    let former = try PostgresLog(settings)
    try await former.demo("a").append(1...1, to: "one")
    #expect(former.close())
    let other = try PostgresLog(settings)
    try await other.demo("b").append(1...1, to: "one")
    let writers = "\(settings.schema).writers"
    try server.query(
      """
      update \(writers) set seen = now() - interval '25 hours' where id = \(Int64(bitPattern: former.incarnation));
      update \(writers) set seen = now() - interval '23 hours' where id = \(Int64(bitPattern: other.incarnation));
      """)
    // Its first round deletes, and another process keeps its row.
    let log = try PostgresLog(settings)
    try await log.demo("c").append(1...1, to: "one")
    try await wait(until: { try server.query("select count(*) from \(writers)") == "2" })
    for version in 2...3 { try await other.demo("b").append(version...version, to: "one") }
    // A session whose last writer has no row is continued.
    try await log.demo("a").append(2...2, to: "one")
    #expect(try log.demo("a").stored?.version == 2)
    for log in [other, log] { #expect(log.close()) }
  }

  @Test func `a registration whose result is lost does not make later ones see other commits`()
    async throws
  {
    let settings = try newStore()
    let log = try PostgresLog(settings)
    try await log.demo().append(1...1, to: "one")
    await #expect(throws: LogError.conflict) { try await log.demo().append(1...1, to: "one") }
    let connection = try PostgresConnection.open(settings.address)
    let registrations = try (0..<3).map { _ in
      try Registration(
        Int64(bitPattern: log.incarnation), named: "test", at: connection,
        schema: settings.schema, deadline: .max)
    }
    #expect(Set(registrations.map(\.committed)).count == 1)
    #expect(Set(registrations.map(\.lost)).count == 1)
    #expect(registrations[0].lost.count == 1)
    #expect(registrations[0].committed < registrations[0].number)
    #expect(registrations.map(\.number) == registrations.map(\.number).sorted())
    // The writer finds that it was replaced, and registers itself.
    try await log.demo().append(2...2, to: "one")
    #expect(try log.demo().stored?.version == 2)
    #expect(log.close())
  }
}
