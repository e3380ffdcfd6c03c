import PostgresServers
import ReactorLog
import Testing

@testable import PostgresLog

/// The registration of a writer that connects again.
struct RegistrationTests {
  @Test func `a registration whose result is lost does not make later ones see other commits`()
    async throws
  {
    let settings = try newStore()
    let log = try PostgresLog(settings)
    try await log.demo().append(1...1, to: "one")
    await #expect(throws: LogError.conflict) { try await log.demo().append(1...1, to: "one") }
    let connection = try Connection.open(settings.address)
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
