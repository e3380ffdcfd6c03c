internal import ReactorTransport
internal import Testing

struct ClientAddressTests {
  @Test(arguments: [
    ("192.0.2.1", "192.0.2.1"), ("::ffff:192.0.2.1", "192.0.2.1"), ("::1", "0:0:0:0:0:0:0:1"),
    ("[2001:db8::7]", "2001:db8:0:0:0:0:0:7"), ("1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8"),
    ("::", "0:0:0:0:0:0:0:0"), ("64:ff9b::192.0.2.33", "64:ff9b:0:0:0:0:c000:221"),
  ])
  func `an address is parsed and printed`(text: String, written: String) {
    #expect(ClientAddress(text)?.description == written)
  }

  @Test(arguments: [
    "", "1.2.3", "1.2.3.4.5", "256.1.1.1", "1.2.3.x", "01234::1", "1:2:3:4:5:6:7", ":::", "1::2::3",
    "1:2:3:4:5:6:7:8:9", "1:2:3:4:5:6:7::8", "+1::", "localhost", "[::1", "1.2.3.4:80",
  ])
  func `other text is rejected`(text: String) {
    #expect(ClientAddress(text) == nil)
  }

  @Test func `an IPv6 /64 network and a single IPv4 address count as one client`() throws {
    let first = try #require(ClientAddress("2001:db8::1"))
    let second = try #require(ClientAddress("2001:db8::ffff:2"))
    let third = try #require(ClientAddress("2001:db8:0:1::1"))
    #expect(first.network == second.network)
    #expect(first.network != third.network)
    #expect(ClientAddress("192.0.2.1")?.network != ClientAddress("192.0.2.2")?.network)
  }
}
