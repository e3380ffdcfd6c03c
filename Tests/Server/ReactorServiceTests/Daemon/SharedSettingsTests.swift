import Glibc
import ReactorHTTP
import Telemetry
import Testing

@testable import ReactorService

/// The hash of the settings that must be equal on all nodes of a cluster.
struct SharedSettingsTests {
  private func hash(
    _ configuration: Configuration, with credentials: AuthenticationSettings
  ) -> UInt64 {
    ServiceContext(configuration: configuration, logger: .silent, termination: Termination())
      .configurationHash(with: credentials)
  }

  @Test func `a reload has the hash of a start with the same settings`() {
    var reloaded = AuthenticationSettings()
    reloaded.issuer = "https://id.example"
    reloaded.audience = ["cart"]
    var configuration = Configuration()
    let former = hash(configuration, with: configuration.authentication)
    let changed = hash(configuration, with: reloaded)
    configuration.authentication = reloaded
    #expect(changed == hash(configuration, with: reloaded))
    #expect(changed != former)
    // A reload does not change the cookie.
    reloaded.cookie = "session"
    #expect(hash(configuration, with: reloaded) == changed)
  }

  @Test func `the hash depends on each setting of the verification, and on the files`() throws {
    var configuration = Configuration()
    let path = "/tmp/reactord-keys-\(getpid())"
    defer { unlink(path) }
    var hashes: Set<UInt64> = []
    func add() {
      hashes.insert(hash(configuration, with: configuration.authentication))
    }
    add()
    configuration.authentication.audience = ["cart"]
    add()
    configuration.api.takesTokenInQuery.toggle()
    add()
    configuration.authentication.keyFile = path
    add()
    configuration.authentication.introspectionURL = "https://id.example/introspect"
    add()
    configuration.authentication.introspectionClient = "reactord"
    add()
    configuration.authentication.webhookURL = "https://app.example/decide"
    add()
    let file = try #require(fopen(path, "w"))
    fputs("keys", file)
    fclose(file)
    add()
    configuration.authentication.keyFile = ""
    configuration.authentication.introspectionSecretFile = path
    configuration.authentication.webhookSecretFile = path
    add()
    #expect(hashes.count == 9)
  }
}
