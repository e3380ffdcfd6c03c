import Identity
import ReactorTransport
import Shares
import Testing

@testable import ReactorHTTP

/// `limits.sessions`.
struct CreationLimiterTests {
  private let client = Client.principal("ada")

  @Test func `a client creates its quota at once, and then one per interval`() {
    let limiter = ClientLimiter(limit: 4, per: .seconds(3600))
    for _ in 0..<4 {
      #expect(limiter.wait(of: client, at: 0) == nil)
      limiter.count(client, at: 0)
    }
    #expect(limiter.wait(of: client, at: 0) == 900)
    #expect(limiter.wait(of: client, at: 899_000) == 1)
    #expect(limiter.wait(of: client, at: 900_000) == nil)
    #expect(limiter.wait(of: .principal("eve"), at: 0) == nil)
  }

  @Test func `the table is bounded`() {
    let limiter = ClientLimiter(limit: 1, per: .seconds(3600), capacity: 2)
    for id: UInt8 in 0..<9 { limiter.count(.principal("\(id)"), at: 0) }
    let limited = (UInt8(0)..<9).filter { limiter.wait(of: .principal("\($0)"), at: 0) != nil }
    #expect(limited.count == 2)
  }

  @Test func `POST, PUT and first actions are counted per principal`() throws {
    let configuration = try SignedToken.configuration(
      rules: #"[{"allow":"manage","if":{"role":"user"}},{"allow":"admin","if":{"role":"root"}}]"#)
    let service = Service(settings: {
      $0.authentication = configuration
      $0.limits.sessions = 3
    })
    func token(_ sub: String, _ role: String = "user") -> [(name: HTTPHeader, value: String)] {
      let claims = #"{"sub":"\#(sub)","role":"\#(role)"}"#
      return [(.authorization, "Bearer \(SignedToken.make(claims))")]
    }
    let (root, ada) = (Service.root, token("ada"))
    #expect(try service.ask("PUT", root + "/a", ada).status == 201)
    #expect(try service.ask("PUT", root + "/a", ada).status == 200)
    #expect(try service.ask("POST", root, ada, body: #"{"id":"b"}"#).status == 201)
    #expect(try service.ask("POST", root + "/c/actions", ada, body: #"{"add":1}"#).status == 200)
    for _ in 0..<2 {
      #expect(try service.ask("POST", root + "/c/actions", ada, body: #"{"add":1}"#).status == 200)
    }
    let rejected = [
      try service.ask("PUT", root + "/d", ada), try service.ask("POST", root, ada),
      try service.ask("POST", root + "/d/actions", ada, body: #"{"add":1}"#),
      try service.ask("POST", root, ada, body: #"{"from":{"session":"c"}}"#),
    ]
    for response in rejected {
      #expect(response.problem == "429 rate-limited")
      #expect(response[field: "Retry-After"].flatMap { Int($0) } ?? 0 > 1000)
    }
    #expect(try service.ask("PUT", root + "/a", ada).status == 200)
    // The session is stored already.
    #expect(try service.ask("POST", root + "/a/actions", ada, body: #"{"add":1}"#).status == 200)
    #expect(try service.ask("PUT", root + "/e", token("eve")).status == 201)
    // An action that creates nothing is not counted.
    let bea = token("bea")
    for _ in 0..<5 {
      #expect(try service.ask("POST", root + "/f/actions", bea, body: "1").status == 422)
    }
    for id in ["g", "h", "i"] {
      let path = root + "/\(id)/actions"
      #expect(try service.ask("POST", path, bea, body: #"{"add":1}"#).status == 200)
    }
    #expect(try service.ask("PUT", root + "/j", bea).problem == "429 rate-limited")
    // The end of a session that never existed would be stored, also if it is in memory.
    #expect(try service.ask("POST", root + "/l/actions", bea, body: "1").status == 429)
    #expect(try service.ask("POST", root + "/l/actions", token("eve"), body: "1").status == 422)
    #expect(try service.ask("DELETE", root + "/l", bea).problem == "429 rate-limited")
    #expect(try service.ask("DELETE", root + "/k", bea).problem == "429 rate-limited")
    #expect(try service.ask("DELETE", root + "/g", bea).status == 204)
    #expect(try service.ask("DELETE", root + "/g", bea).status == 204)
    for index in 0..<5 {
      let path = "\(root)/r\(index)"
      #expect(try service.ask("PUT", path, token("op", "root")).status == 201)
    }
  }
}
