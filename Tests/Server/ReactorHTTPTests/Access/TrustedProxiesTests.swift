import ReactorTransport
import Testing

@testable import ReactorHTTP

struct TrustedProxiesTests {
  private func client(
    _ proxies: String, peer: String?, _ headers: [(name: HTTPHeader, value: String)],
    believed field: ForwardingField = .xForwardedFor
  ) throws -> String? {
    let request = HTTPRequest(
      method: "GET", path: "/", headers: HTTPRequestHeaders(headers),
      peer: peer.flatMap { ClientAddress($0) })
    return try #require(TrustedProxies(proxies)).client(of: request, in: field)?.description
  }

  @Test func `no field is trusted by default`() throws {
    #expect(try client("", peer: "10.0.0.1", [(.forwardedFor, "1.2.3.4")]) == "10.0.0.1")
    #expect(try client("10.0.0.2", peer: "10.0.0.1", [(.forwardedFor, "1.2.3.4")]) == "10.0.0.1")
  }

  @Test func `a proxy states the address of its client`() throws {
    for proxies in ["10.0.0.1", "10.0.0.0/8", "192.168.0.0/16, 10.0.0.0/31", "0.0.0.0/0"] {
      #expect(try client(proxies, peer: "10.0.0.1", [(.forwardedFor, "1.2.3.4")]) == "1.2.3.4")
    }
    #expect(try client("unix", peer: nil, [(.forwardedFor, "1.2.3.4")]) == "1.2.3.4")
    #expect(try client("10.0.0.0/8", peer: nil, [(.forwardedFor, "1.2.3.4")]) == nil)
  }

  @Test func `entries before that of the nearest proxy are ignored`() throws {
    let fields = [(name: HTTPHeader.forwardedFor, value: "6.6.6.6, 1.2.3.4, 10.0.0.2")]
    #expect(try client("10.0.0.0/8", peer: "10.0.0.1", fields) == "1.2.3.4")
    let broken = [(name: HTTPHeader.forwardedFor, value: "6.6.6.6, unknown, 10.0.0.2")]
    #expect(try client("10.0.0.0/8", peer: "10.0.0.1", broken) == "10.0.0.2")
  }

  @Test(arguments: [
    "for=1.2.3.4", "for=1.2.3.4;proto=https;by=10.0.0.1", "For=\"1.2.3.4:4711\"",
    "for=6.6.6.6, proto=http;for=1.2.3.4",
  ])
  func `Forwarded is parsed by RFC 7239`(field: String) throws {
    #expect(
      try client("10.0.0.0/8", peer: "10.0.0.1", [(.forwarded, field)], believed: .forwarded)
        == "1.2.3.4")
  }

  @Test(arguments: ["1.2.3.4,", "1.2.3.4, ,\t", ",, 1.2.3.4"])
  func `empty elements are ignored`(field: String) throws {
    #expect(try client("10.0.0.1", peer: "10.0.0.1", [(.forwardedFor, field)]) == "1.2.3.4")
  }

  @Test func `an element that is too long for an address is malformed`() throws {
    let field = "6.6.6.6," + String(repeating: ":", count: 300)
    #expect(try client("10.0.0.1", peer: "10.0.0.1", [(.forwardedFor, field)]) == "10.0.0.1")
  }

  @Test func `only the configured header field is trusted`() throws {
    // The proxy writes X-Forwarded-For and passes the client's own Forwarded through.
    let fields = [
      (name: HTTPHeader.forwarded, value: "for=6.6.6.6"),
      (name: HTTPHeader.forwardedFor, value: "1.2.3.4"),
    ]
    #expect(try client("10.0.0.1", peer: "10.0.0.1", fields) == "1.2.3.4")
    #expect(try client("10.0.0.1", peer: "10.0.0.1", fields, believed: .forwarded) == "6.6.6.6")
  }

  @Test func `Forwarded has IPv6 in brackets and quotes`() throws {
    let fields = [(name: HTTPHeader.forwarded, value: "for=\"[2001:db8::7]:80\"")]
    #expect(try client("::1", peer: "::1", fields, believed: .forwarded) == "2001:db8:0:0:0:0:0:7")
  }

  @Test(arguments: ["example.org", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/-1", "::/129", "unix/8"])
  func `rejects a text that is not a network`(text: String) {
    #expect(TrustedProxies(text) == nil)
  }
}
