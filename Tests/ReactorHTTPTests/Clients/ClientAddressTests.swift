import Testing

@testable import ReactorHTTP

struct ClientAddressTests {
  @Test(arguments: [
    ("192.0.2.1", "192.0.2.1"), ("::ffff:192.0.2.1", "192.0.2.1"), ("::1", "0:0:0:0:0:0:0:1"),
    ("[2001:db8::7]", "2001:db8:0:0:0:0:0:7"), ("1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8"),
    ("::", "0:0:0:0:0:0:0:0"), ("64:ff9b::192.0.2.33", "64:ff9b:0:0:0:0:c000:221"),
  ])
  func `an address is read`(text: String, written: String) {
    #expect(ClientAddress(text)?.description == written)
  }

  @Test(arguments: [
    "", "1.2.3", "1.2.3.4.5", "256.1.1.1", "1.2.3.x", "01234::1", "1:2:3:4:5:6:7", ":::", "1::2::3",
    "1:2:3:4:5:6:7:8:9", "1:2:3:4:5:6:7::8", "+1::", "localhost", "[::1", "1.2.3.4:80",
  ])
  func `what is no address is not read`(text: String) {
    #expect(ClientAddress(text) == nil)
  }

  @Test func `a household of IPv6 is one client, a machine of IPv4 too`() throws {
    let first = try #require(ClientAddress("2001:db8::1"))
    let second = try #require(ClientAddress("2001:db8::ffff:2"))
    let third = try #require(ClientAddress("2001:db8:0:1::1"))
    #expect(first.network == second.network)
    #expect(first.network != third.network)
    #expect(ClientAddress("192.0.2.1")?.network != ClientAddress("192.0.2.2")?.network)
  }
}

struct TrustedProxiesTests {
  private func client(
    _ proxies: String, peer: String?, _ headers: [(name: HTTPHeader, value: String)]
  ) throws -> String? {
    let request = HTTPRequest(
      method: "GET", path: "/", headers: HTTPRequestHeaders(headers),
      peer: peer.flatMap { ClientAddress($0) })
    return try #require(TrustedProxies(proxies)).client(of: request)?.description
  }

  @Test func `nobody's word is taken unless configured`() throws {
    #expect(try client("", peer: "10.0.0.1", [(.forwardedFor, "1.2.3.4")]) == "10.0.0.1")
    #expect(try client("10.0.0.2", peer: "10.0.0.1", [(.forwardedFor, "1.2.3.4")]) == "10.0.0.1")
  }

  @Test func `a proxy names its client`() throws {
    for proxies in ["10.0.0.1", "10.0.0.0/8", "192.168.0.0/16, 10.0.0.0/31", "0.0.0.0/0"] {
      #expect(try client(proxies, peer: "10.0.0.1", [(.forwardedFor, "1.2.3.4")]) == "1.2.3.4")
    }
    #expect(try client("unix", peer: nil, [(.forwardedFor, "1.2.3.4")]) == "1.2.3.4")
    #expect(try client("10.0.0.0/8", peer: nil, [(.forwardedFor, "1.2.3.4")]) == nil)
  }

  @Test func `what a client wrote itself is behind what the proxy wrote`() throws {
    let fields = [(name: HTTPHeader.forwardedFor, value: "6.6.6.6, 1.2.3.4, 10.0.0.2")]
    #expect(try client("10.0.0.0/8", peer: "10.0.0.1", fields) == "1.2.3.4")
    let broken = [(name: HTTPHeader.forwardedFor, value: "6.6.6.6, unknown, 10.0.0.2")]
    #expect(try client("10.0.0.0/8", peer: "10.0.0.1", broken) == "10.0.0.2")
  }

  @Test(arguments: [
    "for=1.2.3.4", "for=1.2.3.4;proto=https;by=10.0.0.1", "For=\"1.2.3.4:4711\"",
    "for=6.6.6.6, proto=http;for=1.2.3.4",
  ])
  func `Forwarded is read as RFC 7239 writes it`(field: String) throws {
    #expect(try client("10.0.0.0/8", peer: "10.0.0.1", [(.forwarded, field)]) == "1.2.3.4")
  }

  @Test func `Forwarded has IPv6 in brackets and quotes`() throws {
    let fields = [(name: HTTPHeader.forwarded, value: "for=\"[2001:db8::7]:80\"")]
    #expect(try client("::1", peer: "::1", fields) == "2001:db8:0:0:0:0:0:7")
  }

  @Test(arguments: ["example.org", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/-1", "::/129", "unix/8"])
  func `what is no network is refused`(text: String) {
    #expect(TrustedProxies(text) == nil)
  }
}
