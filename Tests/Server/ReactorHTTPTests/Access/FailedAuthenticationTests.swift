import ReactorTransport
import TestSupport
import Testing

@testable import ReactorHTTP

struct FailedAuthenticationTests {
  private static let (reader, wrong) = ("reader-of-everything-1", "reader-of-everything-2")
  private let service = Service(settings: {
    $0.authentication = .tokens("reader-of-everything-1 read")
    $0.trustedProxies = TrustedProxies("198.51.100.1") ?? TrustedProxies()
  })

  private func request(
    _ method: String, _ token: String?, from address: UInt32 = 0xC000_0201,
    forwarding forwarded: String? = nil
  ) -> HTTPRequest {
    var headers: HTTPRequestHeaders = [(.contentType, "application/json")]
    if let token { headers.append(.authorization, "Bearer " + token) }
    if let forwarded { headers.append(.forwardedFor, forwarded) }
    return HTTPRequest(
      method: method, path: Service.root + "/a" + (method == "POST" ? "/actions" : ""),
      headers: headers, hasBody: method == "POST", peer: ClientAddress(version4: address))
  }

  /// The status of the rejection before the body, or `nil` if the request is admitted.
  private func status(
    _ token: String?, from address: UInt32 = 0xC000_0201, forwarding forwarded: String? = nil
  ) -> Int? {
    switch service.api.admit(request("POST", token, from: address, forwarding: forwarded)) {
    case .accept: nil
    case .reject(let response): response.status
    }
  }

  /// Exceeds the rate of failed authentications of an address.
  private func exceedRate() -> Bool {
    (0..<100_000).contains { _ in status(Self.wrong) == 429 }
  }

  @Test func `above a rate per address, credentials are not verified`() throws {
    #expect(status(Self.wrong) == 401)
    #expect(exceedRate())
    #expect(status(Self.wrong, from: 0xC000_0202) == 401, "another address")
    let response = try service.ask("GET", Service.root + "/a")
    #expect(response.status == 401, "without a credential")
  }

  @Test func `a credential that was verified before is accepted above the rate`() {
    #expect(status(Self.reader, from: 0xC000_0202) == 403, "it does not have the right")
    #expect(exceedRate())
    #expect(status(Self.reader) == 403)
    #expect(status(nil) == 401)
  }

  @Test func `a credential that was verified before is accepted after a reload, too`() {
    #expect(status(Self.reader) == 403, "it does not have the right")
    #expect(exceedRate())
    service.api.replaceAuthentication(.tokens("reader-of-everything-1 read"))
    #expect(status(Self.reader) == 403)
    #expect(status(Self.wrong) == 429)
  }

  @Test func `behind a proxy the forwarded address counts`() {
    let proxy: UInt32 = 0xC633_6401
    let isExceeded = (0..<100_000).contains { _ in
      status(Self.wrong, from: proxy, forwarding: "192.0.2.7") == 429
    }
    #expect(isExceeded)
    #expect(status(Self.wrong, from: proxy, forwarding: "192.0.2.8") == 401)
  }

  @Test func `requests without a body are rejected alike, and name the time to wait`() throws {
    #expect(exceedRate())
    let rejected = (0..<100_000).lazy.compactMap { _ -> HTTPResponse? in
      let responses = Recorder<HTTPResponse>()
      service.api.respond(to: request("GET", Self.wrong)) { responses.add($0) }
      return responses.values.first { $0.status == 429 }
    }.first
    let response = try #require(rejected)
    #expect(response.problem == "429 rate-limited")
    #expect(response[field: "Retry-After"] == "1")
  }
}
