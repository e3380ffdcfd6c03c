import ReactorHTTP
import ReactorHost
import ReactorLog
import ReactorTransport
import Synchronization
import Testing

/// Reading a session that does not exist, and readiness.
struct ReadingTests {
  private let log = UnhealthyLog()
  private let service: Service
  private let demo = "\(Service.root)/demo"

  init() {
    service = Service(log: log)
  }

  private func listed() throws -> String {
    try service.ask("GET", Service.root).text
  }

  @Test(arguments: ["", "/state", "/state?version=0", "/log", "/effects"])
  func `reading a session that does not exist creates none`(part: String) throws {
    _ = try service.ask("PUT", "/v1/globals/motto", body: #""onward""#)
    let response = try service.ask("GET", demo + part)
    #expect(response.status == 200)
    let expected = [
      "/log": "[]", "/effects": #"{"effects":[]}"#,
    ]
    #expect(response.text == expected[part] ?? #"{"value":0,"label":"none"}"#)
    #expect(try listed() == #"{"sessions":[]}"#)
    #expect(
      try service.ask("GET", "/metrics").text.contains(#"reactord_sessions{reactor="number"} 0"#))
    #expect(try log.session(SessionKey(reactor: "number", id: "demo")).record() == .none)
  }

  @Test func `cancelling an effect of a session that does not exist creates none`() throws {
    #expect(try service.ask("DELETE", demo + "/effects/1").status == 204)
    #expect(try listed() == #"{"sessions":[]}"#)
  }

  @Test func `the entity tag of a session that does not exist is the one that it begins with`()
    throws
  {
    let tag = try #require(try service.ask("GET", demo)[field: "ETag"])
    #expect(tag.hasSuffix("-0\""))
    #expect(try service.ask("GET", demo, [(.ifNoneMatch, tag)]).status == 304)
    #expect(try service.ask("GET", "\(Service.root)/other")[field: "ETag"] != tag)
    let acted = try service.act(#"{"add":1}"#, [(.ifMatch, tag)])
    #expect(acted.status == 200)
    #expect(acted[field: "ETag"] == tag.replacing("-0\"", with: "-1\""))
  }

  @Test func `a version or part that the initial State does not have gets 404`() throws {
    #expect(try service.ask("GET", demo + "?version=1").problem == "404 unknown-version")
    #expect(try service.ask("GET", demo + "?select=/value").text == "0")
    #expect(try service.ask("GET", demo + "?select=/none").problem == "404 not-found")
  }

  @Test func `the service is not ready while the log cannot be written`() throws {
    #expect(try service.ask("GET", "/readyz").status == 200)
    log.isFailing.store(true, ordering: .relaxed)
    let response = try service.ask("GET", "/readyz")
    #expect(response.problem == "503 unavailable")
    #expect(response[field: "Retry-After"] == "1")
    #expect(try service.ask("GET", "/healthz").status == 200)
    log.isFailing.store(false, ordering: .relaxed)
    #expect(try service.ask("GET", "/readyz").status == 200)
  }
}
