import ReactorTransport
import TestSupport
import Testing

@testable import ReactorHTTP

struct FailedAuthenticationTests {
  private static let (reader, wrong) = ("reader-of-everything-1", "reader-of-everything-2")
  private let service = Service(settings: {
    $0.authentication = .tokens("reader-of-everything-1 read")
  })

  private func request(
    _ method: String, _ token: String?, from address: UInt32 = 0xC000_0201
  ) -> HTTPRequest {
    var headers: HTTPRequestHeaders = [(.contentType, "application/json")]
    if let token { headers.append(.authorization, "Bearer " + token) }
    return HTTPRequest(
      method: method, path: Service.root + "/a" + (method == "POST" ? "/actions" : ""),
      headers: headers, hasBody: method == "POST", peer: ClientAddress(version4: address))
  }

  /// The delay of the rejection before the body, or `nil` if the request is admitted.
  private func delay(_ token: String?, from address: UInt32 = 0xC000_0201) -> Duration? {
    switch service.api.admit(request("POST", token, from: address)) {
    case .accept: nil
    case .reject(_, let delay): delay
    }
  }

  /// Exceeds the rate of failed authentications of an address.
  private func exceedRate() -> Bool {
    (0..<100_000).contains { _ in delay(Self.wrong) == .seconds(1) }
  }

  @Test func `above a rate per address, rejections before the body are delayed`() {
    #expect(delay(Self.wrong) == .zero)
    #expect(exceedRate())
    #expect(delay(Self.wrong, from: 0xC000_0202) == .zero, "another address")
  }

  @Test func `a request without a credential, or with a valid one, is rejected at once`() {
    #expect(exceedRate())
    #expect(delay(nil) == .zero)
    #expect(delay(Self.reader) == .zero, "it does not have the right")
  }

  @Test func `rejections without a body are delayed, and sent`() async throws {
    #expect(exceedRate())
    let delayed = (0..<100_000).lazy.map { _ in
      let responses = Recorder<HTTPResponse>()
      service.api.respond(to: request("GET", Self.wrong)) { responses.add($0) }
      return responses
    }.first { $0.values.isEmpty }
    let responses = try #require(delayed)
    try await wait { responses.values.map(\.status) == [401] }
  }
}
