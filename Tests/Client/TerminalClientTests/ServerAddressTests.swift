import TerminalClient
import Testing

struct ServerAddressTests {
  @Test(arguments: [
    ("127.0.0.1:8080", "127.0.0.1", 8080),
    ("0.0.0.0:0", "0.0.0.0", 0),
    ("localhost:65535", "localhost", 65535),
    ("a-b.example.org:80", "a-b.example.org", 80),
    ("[::1]:8080", "::1", 8080),
    ("[::ffff:10.0.0.1]:1", "::ffff:10.0.0.1", 1),
  ])
  func `the description of a parsed address is its text`(
    _ text: String, _ host: String, _ port: UInt16
  ) throws {
    let address = try #require(ServerAddress(text))
    #expect(address == ServerAddress(host: host, port: port))
    #expect(address.description == text)
  }

  @Test(arguments: ["unix:/run/reactord.sock", "unix:reactord sock", "unix:a:1"])
  func `the description of a parsed socket path is its text`(_ text: String) throws {
    let address = try #require(ServerAddress(text))
    #expect(address == .unix(path: String(text.dropFirst(5))))
    #expect(address.description == text)
    #expect(address.url == text)
  }

  @Test(arguments: [
    "unix:", "unix:\(String(repeating: "a", count: 108))", "unix:a\0b",
    "", ":", "8080", ":8080", "127.0.0.1", "127.0.0.1:", "127.0.0.1:x", "127.0.0.1:65536",
    "127.0.0.1:-1", "127.0.0.1:+1", "127.0.0.1: 1", "127.0.0.256:1", "1.2.3:1", "::1:8080",
    "[::1]", "[::1]8080", "[]:1", "[127.0.0.1]:1", "[::g]:1", "a b:1", "a\r\nb:1", "ä:1", "*:1",
    "127.0.0.1:99999999999999999999", "\(String(repeating: "a", count: 254)):1",
  ])
  func `an invalid address is rejected`(_ text: String) {
    #expect(ServerAddress(text) == nil)
  }
}
