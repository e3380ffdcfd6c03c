import Testing

@testable import ReactorService

struct ServiceEnvironmentTests {
  private static let link = SupervisorLink(socketCount: 2, restarts: 0, lastSignal: 0)

  @Test func `the service has the variables of its supervisor, the link, and the defaults`() {
    #expect(
      ServiceEnvironment.variables(adding: Self.link, to: ["PATH=/bin"]) == [
        "PATH=/bin", Self.link.variable, "SWIFT_BACKTRACE=enable=no",
        "GLIBC_TUNABLES=glibc.malloc.tcache_count=128",
      ])
  }

  @Test func `a default replaces no variable of the supervisor`() {
    let own = ["GLIBC_TUNABLES=glibc.malloc.arena_max=2", "SWIFT_BACKTRACE=enable=yes"]
    #expect(
      ServiceEnvironment.variables(adding: Self.link, to: own) == own + [Self.link.variable])
  }
}
