import ReactorTransport
import Testing

@testable import ReactorHTTP

/// The States of a projected reactor as its clients see them.
struct ProjectionTests {
  private func dealtTable() throws -> Table {
    let table = try Table()
    try table.seat("ada", 1)
    try table.seat("eve", 2)
    try table.deal(1, "ace")
    try table.deal(2, "ten")
    return table
  }

  private static let ace = #"{"pot":0,"players":2,"hand":"ace","odds":0.5}"#
  private static let ten = #"{"pot":0,"players":2,"hand":"ten","odds":0.5}"#

  // MARK: Reading

  @Test func `each player reads the own hand`() throws {
    let table = try dealtTable()
    for path in ["/t", "/t/state"] {
      #expect(try table.ask("GET", path, as: "ada").text == Self.ace)
      #expect(try table.ask("GET", path, as: "eve").text == Self.ten)
    }
    let response = try table.state(as: "ada")
    #expect(response[field: "ETag"]?.hasSuffix("-4\"") == true)
    #expect(response[field: "Cache-Control"] == "no-store")
  }

  @Test func `a client without an audience is forbidden to read`() throws {
    let table = try dealtTable()
    for path in [
      "/t", "/t/state", "/t/state?version=4", "/t/state?select=/pot", "/t/parameters",
      "/t/subscribers", "/t/events", "/v1/events?session=table/t",
    ] {
      let response = try table.ask("GET", path, as: "bob")
      #expect(response.problem == "403 forbidden", "\(path)")
      #expect(try table.ask("HEAD", path, as: "bob").status == 403, "\(path)")
    }
    #expect(
      try table.service.ask("GET", Table.root + "/t/state").problem == "401 unauthorized")
    try table.act(#"{"open":true}"#)
    #expect(try table.state(as: "bob").text == #"{"pot":0,"players":2,"hand":null,"odds":0.5}"#)
  }

  @Test func `a part is selected from the view`() throws {
    let table = try dealtTable()
    #expect(try table.state("?select=/hand", as: "ada").text == #""ace""#)
    for part in ["/hands/2", "/hands", "/mark"] {
      #expect(try table.state("?select=\(part)", as: "ada").problem == "404 not-found")
    }
  }

  @Test func `an earlier version is what the client saw then`() throws {
    let table = try dealtTable()
    try table.act(#"{"dismiss":"ada"}"#)
    try table.seat("bob", 1)
    // Bob has the seat of ada, and not her hand of that time.
    #expect(try table.state("?version=4", as: "bob").problem == "403 forbidden")
    #expect(try table.state(as: "bob").status == 200)
    #expect(try table.state("?version=3", as: "eve").text.contains(#""hand":null"#))
    #expect(try table.state("?version=4", as: "eve").text == Self.ten)
    // A dismissed client reads nothing, not even its earlier views.
    #expect(try table.state("?version=4", as: "ada").problem == "403 forbidden")
    #expect(try table.state("?version=99", as: "eve").problem == "404 unknown-version")
  }

  @Test func `a current tag is not modified, unless the client sees nothing`() throws {
    let table = try dealtTable()
    let tag = try #require(try table.state(as: "ada")[field: "ETag"])
    let known: [(name: HTTPHeader, value: String)] = [(.ifNoneMatch, tag)]
    let response = try table.ask("GET", "/t/state", as: "ada", known)
    #expect(response.status == 304)
    #expect(response[field: "Cache-Control"] == "no-store")
    #expect(try table.ask("GET", "/t/state", as: "bob", known).status == 403)
  }

  @Test func `the response to an action is the view of its client`() throws {
    let table = try dealtTable()
    #expect(
      try table.act(#"{"bet":5}"#, as: "ada").text.contains(#""pot":5,"players":2,"hand":"ace""#))
    let hidden = try table.act(#"{"bet":5}"#, as: "bob")
    #expect((hidden.status, hidden.text) == (204, ""))
    #expect(hidden[field: "ETag"]?.hasSuffix("-6\"") == true)
    let accepted = try table.ask(
      "POST", "/t/actions", as: "eve", body: #"{"hold":"x"}"#, [(.prefer, "respond-async")])
    #expect(accepted.status == 202)
    #expect(accepted.text.contains(#""hand":"ten""#))
    // The outcome of a repeated key is that of its principal.
    let key: [(name: HTTPHeader, value: String)] = [(.idempotencyKey, "k")]
    let first = try table.ask("POST", "/t/actions", as: "ada", body: #"{"bet":1}"#, key)
    try table.act(#"{"dismiss":"ada"}"#)
    let second = try table.ask("POST", "/t/actions", as: "ada", body: #"{"bet":1}"#, key)
    #expect(second[field: "Idempotent-Replayed"] == "true")
    #expect(second.text == first.text)
  }

  @Test func `a created session is shown as its client sees it`() throws {
    let table = try Table()
    let created = try table.ask("PUT", "/new", as: "manager")
    #expect((created.status, created.text) == (201, ""))
    #expect(try table.ask("PUT", "/new", as: "manager").status == 204)
    let posted = try table.ask("POST", "", as: "manager", body: #"{"id":"other"}"#)
    #expect((posted.status, posted.text) == (201, ""))
  }

  @Test func `an absent session is projected`() throws {
    let table = try Table()
    #expect(try table.ask("GET", "/absent/state", as: "ada").problem == "403 forbidden")
    #expect(try table.ask("GET", "/absent/events", as: "ada").problem == "403 forbidden")
  }

  @Test func `a projection that fails is an error of its reader only`() throws {
    let table = try dealtTable()
    try table.seat("broken", 13)
    let before = try table.state(as: "eve")[field: "ETag"]
    for user in ["unlucky", "broken"] {
      #expect(try table.state(as: user).problem == "500 effect-failed")
      #expect(try table.ask("GET", "/t/events", as: user).problem == "500 effect-failed")
      #expect(try table.act(#"{"bet":1}"#, as: user).status == 204)
    }
    #expect(try table.state(as: "eve")[field: "ETag"] != before)
    #expect(try table.state(as: "eve").text.contains(#""pot":2"#))
  }

  @Test func `the catalogue describes the view, and no State`() throws {
    let table = try dealtTable()
    let described = try table.ask("GET", "/v1/reactors/table", as: "ada").text
    #expect(described.contains(#""initialState":null"#))
    #expect(described.contains(#""players""#))
    #expect(!described.contains(#""isPublic""#))
    let types = try table.ask("GET", "/v1/reactors/table/types.ts", as: "ada").text
    #expect(types.contains("players: number"))
    #expect(!types.contains("isPublic"))
    let openAPI = try table.ask("GET", "/openapi.json", as: "ada").text
    #expect(openAPI.contains(#""players""#))
    #expect(!openAPI.contains(#""isPublic""#))
  }

  // MARK: The right to inspect

  @Test(arguments: ["/t/log", "/t/effects", "/t/timers"])
  func `the log, effects and timers need the right to inspect`(path: String) throws {
    let table = try dealtTable()
    for user in ["ada", "manager", "bob"] {
      let response = try table.ask("GET", path, as: user)
      #expect(response.problem == "403 forbidden", "\(user)")
      #expect(response[field: "WWW-Authenticate"]?.contains("reactord:inspect") == true)
    }
    for user in ["inspector", "host"] {
      #expect(try table.ask("GET", path, as: user).status == 200, "\(user)")
    }
  }

  @Test func `a fork needs the right to inspect its origin`() throws {
    let table = try dealtTable()
    let body = #"{"id":"copy","from":{"session":"t"}}"#
    let response = try table.ask("POST", "", as: "manager", body: body)
    #expect(response.problem == "403 forbidden")
    #expect(response[field: "WWW-Authenticate"]?.contains("reactord:inspect") == true)
    #expect(try table.ask("POST", "", as: "host", body: body).status == 201)
    #expect(try table.ask("GET", "/copy/state", as: "ada").text == Self.ace)
  }

  @Test func `failures are listed for clients with the right to inspect`() throws {
    let table = try dealtTable()
    let failed = try table.ask("POST", "/t/actions", as: "ada", body: #"{"fail":"a-secret"}"#)
    #expect(failed.status == 500)
    let list = "/v1/reactors/table/failures"
    #expect(try table.ask("GET", list, as: "eve").text == #"{"failures":[]}"#)
    #expect(try table.ask("GET", list, as: "inspector").text.contains("a-secret"))
  }

  @Test func `without authentication a client has the name that it chooses, and every right`()
    throws
  {
    let table = try Table(authenticates: false)
    try table.seat("ada", 1)
    try table.deal(1, "ace")
    func ask(_ path: String) throws -> HTTPResponse {
      try table.service.ask("GET", Table.root + path)
    }
    #expect(try ask("/t/state").problem == "403 forbidden")
    #expect(try ask("/t/state?name=ada").text.contains(#""hand":"ace""#))
    #expect(try ask("/t/log").status == 200)
  }

  @Test func `an authenticated client cannot choose a name`() throws {
    let table = try dealtTable()
    #expect(try table.state("?name=ada", as: "bob").problem == "403 forbidden")
    #expect(try table.state("?name=ada", as: "eve").text == Self.ten)
  }
}
