import ReactorHost
import ReactorHTTP
import ReactorTransport
import Testing

/// `If-Match` and `If-None-Match` of requests that change something.
struct PreconditionTests {
  private let service = Service()
  private let demo = "\(Service.root)/demo"
  private let motto = "/v1/globals/motto"

  @Test func `PUT of a session with If-None-Match creates, and returns no existing one`() throws {
    let created = try service.ask("PUT", demo, [(.ifNoneMatch, "*")])
    #expect(created.status == 201)
    let tag = try #require(created[field: "ETag"])
    for known in ["*", tag, "W/\(tag)", "\"x-1\", \(tag)"] {
      let refused = try service.ask("PUT", demo, [(.ifNoneMatch, known)])
      #expect(refused.problem == "412 version-mismatch", "\(known)")
      #expect(refused[field: "ETag"] == tag)
    }
    #expect(try service.ask("PUT", demo, [(.ifNoneMatch, "\"x-1\"")]).status == 200)
  }

  @Test func `PUT of an unknown session with If-Match is 412 also if PUT alone creates sessions`()
    throws
  {
    let explicit = Service(host: { $0.sessionCreation = .explicit })
    #expect(try explicit.ask("PUT", demo, [(.ifMatch, "*")]).problem == "412 version-mismatch")
    #expect(try explicit.ask("PUT", demo).status == 201)
  }

  @Test func `PUT of a session with If-Match creates none`() throws {
    for tag in ["*", "\"x-1\""] {
      let refused = try service.ask("PUT", demo, [(.ifMatch, tag)])
      #expect(refused.problem == "412 version-mismatch")
      #expect(refused.text.contains("does not exist"))
    }
    // In memory only, like each session before its first action or PUT.
    let virtual = try #require(try service.ask("GET", demo)[field: "ETag"])
    #expect(try service.ask("PUT", demo, [(.ifMatch, virtual)]).problem == "412 version-mismatch")
    #expect(try service.ask("GET", Service.root).text == #"{"sessions":[]}"#)
    let tag = try #require(try service.ask("PUT", demo)[field: "ETag"])
    for match in ["*", tag, "\"x-1\", \(tag)"] {
      #expect(try service.ask("PUT", demo, [(.ifMatch, match)]).status == 200)
    }
    try service.addOnes(1)
    let stale = try service.ask("PUT", demo, [(.ifMatch, tag)])
    #expect(stale.problem == "412 version-mismatch")
    #expect(stale[field: "ETag"] == tag.replacing("-0\"", with: "-1\""))
    #expect(
      try service.ask("PUT", demo, [(.ifMatch, "W/\(tag)")]).problem == "412 version-mismatch")
    #expect(try service.ask("PUT", demo, [(.ifMatch, "x")]).problem == "400 invalid-parameter")
  }

  @Test func `PUT of a global replaces the value that the client has read`() throws {
    let first = try #require(try service.ask("GET", motto)[field: "ETag"])
    let second = try service.ask("PUT", motto, [(.ifMatch, first)], body: #""b""#)
    #expect(second.status == 200)
    let tag = try #require(second[field: "ETag"])
    for (field, value): (HTTPHeader, String) in [
      (.ifMatch, first), (.ifNoneMatch, "*"), (.ifNoneMatch, tag),
    ] {
      let refused = try service.ask("PUT", motto, [(field, value)], body: #""c""#)
      #expect(refused.problem == "412 version-mismatch")
      #expect(refused[field: "ETag"] == tag)
    }
    #expect(try service.ask("GET", motto).text == #""b""#)
    #expect(try service.ask("PUT", motto, [(.ifMatch, "*")], body: #""d""#).status == 200)
  }

  @Test(arguments: [HTTPHeader.ifMatch, .ifNoneMatch])
  func `a request to an address without preconditions is not executed without them`(
    field: HTTPHeader
  ) throws {
    let tag = try #require(try service.ask("PUT", demo)[field: "ETag"])
    for (method, path) in [("DELETE", demo), ("POST", Service.root)] {
      let refused = try service.ask(method, path, [(field, tag)])
      #expect(refused.problem == "400 invalid-parameter")
      #expect(refused.text.contains("If-Match"))
    }
    #expect(try service.ask("GET", demo).status == 200)
    #expect(try service.ask("DELETE", demo).status == 204)
  }

  // MARK: Members

  @Test(arguments: [
    ("POST", Service.root, #"{"id":"b","parametrs":{}}"#, "/parametrs", "id, from, parameters"),
    (
      "POST", Service.root, #"{"id":"b","from":{"session":"demo","verison":1}}"#, "/from/verison",
      "session, version, timers"
    ),
    ("PUT", "\(Service.root)/b", #"{"from":{"session":"demo"}}"#, "/from", "parameters"),
    ("PUT", "\(Service.root)/b", #"{"a/b~":1}"#, "/a~1b~0", "parameters"),
  ])
  func `an unknown member of a creation creates nothing`(
    method: String, path: String, body: String, pointer: String, known: String
  ) throws {
    try service.addOnes(2)
    let refused = try service.ask(method, path, body: body)
    #expect(refused.problem == "422 invalid-body")
    #expect(refused.text.contains(#""pointer":"\#(pointer)""#), "\(refused.text)")
    #expect(refused.text.contains("these are known: \(known)."))
    #expect(try service.ask("GET", "\(Service.root)?after=a").text.contains(#""id":"b""#) == false)
  }
}
