import ReactorTransport
import Testing

@testable import ReactorHTTP

struct ContentEncodingsTests {
  @Test(arguments: [
    "gzip", "GZIP", "x-gzip", "br, gzip", "gzip;q=0.5", "*", "deflate, gzip;q=1.0, *;q=0.5",
    "gzip, identity", "identity;q=0.5, gzip",
  ])
  func `gzip is accepted`(field: String) {
    #expect(ContentEncodings.gzip(field) == .yes)
  }

  @Test(arguments: [
    nil, "", "identity", "br", "gzip;q=0", "*;q=0", "gzip;q=0, *", "gzip;q=0.5, identity",
    "gzip;q=x", ";q=1", ",,",
  ])
  func `gzip is not accepted`(field: String?) {
    #expect(ContentEncodings.gzip(field) == .no)
  }

  @Test(arguments: ["gzip, identity;q=0", "*, identity;q=0.0"])
  func `only gzip is accepted`(field: String) {
    #expect(ContentEncodings.gzip(field) == .only)
  }
}
