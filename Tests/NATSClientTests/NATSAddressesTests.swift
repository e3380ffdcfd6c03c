import NATSClient
import Testing

struct NATSAddressesTests {
  @Test(arguments: [
    ("nats://localhost", ["nats://localhost"]),
    ("nats://a:1,b:2, nats://c:3", ["nats://a:1", "nats://b:2", "nats://c:3"]),
    ("nats://user:pass@[::1]:4222", ["nats://user:pass@[::1]:4222"]),
    ("tls://a", ["tls://a"]),
  ])
  func `addresses are separated by commas`(_ text: String, _ urls: [String]) {
    #expect(NATSAddresses(text)?.urls == urls)
  }

  @Test(arguments: [
    "", "localhost", "http://a", "nats://", "nats://a:0", "nats://a:65536", "nats://a:b",
    "nats://a,", "nats://a b", "nats://a/b", "nats://[::1]x", "nats://a\n",
  ])
  func `other texts are rejected`(_ text: String) {
    #expect(NATSAddresses(text) == nil)
  }

  @Test func `the description has no credentials`() {
    let addresses = NATSAddresses("nats://user:secret@a:1,token@b,c:3")
    #expect(addresses?.description == "nats://***@a:1,nats://***@b,nats://c:3")
  }

  @Test func `the port is 4222 unless it is stated`() throws {
    let parts = try #require(NATSAddresses.hostAndPort(of: "nats://u:p@host"))
    #expect(parts.host == "host")
    #expect(parts.port == 4222)
  }

  @Test func `a greeting states the version`() throws {
    let line = #"INFO {"version":"2.10.23-beta.1","max_payload":1048576,"jetstream":true} "#
    let greeting = try #require(BrokerGreeting(Array(line.utf8)))
    #expect(greeting.version == [2, 10, 23])
    #expect(greeting.maximumPayload == 1_048_576)
    #expect(greeting.hasJetStream)
    #expect(greeting.isAtLeast(2, 9, 10))
    #expect(!greeting.isAtLeast(2, 10, 24))
    #expect(!greeting.isAtLeast(3))
    #expect(BrokerGreeting(Array("+OK".utf8)) == nil)
  }
}
