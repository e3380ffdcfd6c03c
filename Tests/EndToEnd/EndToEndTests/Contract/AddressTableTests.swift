import Testing

/// Each row of the contract's table of addresses.
@Suite(.blocking)
struct AddressTableTests {
  let server: ReactordProcess
  let session: SessionClient
  let client: HTTPClient

  init() throws {
    server = try ReactordProcess.shared.get()
    session = server.session(of: "counter")
    client = session.client
  }

  @Test func `GET reactors lists name, summary and links`() throws {
    let reactors = try #require(try client.get("/v1/reactors").json["reactors"]?.array)
    let counter = try #require(reactors.first { $0["name"] == "counter" })
    #expect(counter.names == ["name", "summary", "links"])
    #expect(
      counter["links"] == [
        "self": "/v1/reactors/counter", "sessions": "/v1/reactors/counter/sessions",
        "example": "/examples/#counter",
      ])
  }

  @Test func `GET a reactor shows schemas, initial state and example actions`() throws {
    let counter = try client.get("/v1/reactors/counter").json
    #expect(
      counter.names.isSuperset(of: [
        "name", "summary", "actionSchema", "mutationSchema", "stateSchema", "initialState",
        "exampleActions", "links",
      ]))
    #expect(counter["initialState"] == ["value": 0])
    #expect(counter["exampleActions"]?.array?.first == "increase")
  }

  @Test func `GET sessions returns pages of a limit, with a Link to the next page`() throws {
    // A server of its own, so that no other test's sessions are listed.
    let server = try ReactordProcess()
    let client = server.client()
    let list = "/v1/reactors/counter/sessions"
    for id in ["a", "b", "c~.-_"] { #expect(try client.send("PUT", "\(list)/\(id)").status == 201) }
    func ids(_ response: HTTPResponse) throws -> [String?]? {
      try response.json["sessions"]?.array?.map { $0["id"]?.string }
    }
    #expect(try ids(client.get(list)) == ["a", "b", "c~.-_"])
    // A page that ends exactly at the end has no next page.
    let full = try client.get(list + "?limit=3")
    #expect(try ids(full) == ["a", "b", "c~.-_"])
    #expect(full["Link"] == nil)
    let first = try client.get(list + "?limit=2")
    #expect(try ids(first) == ["a", "b"])
    let second = try client.get(try #require(first.nextPage))
    #expect(try ids(second) == ["c~.-_"])
    #expect(second["Link"] == nil)
    #expect(try ids(client.get(list + "?after=zzz")) == [])
    #expect(try ids(client.get(list + "?after=aa")) == ["b", "c~.-_"])
    #expect(try client.get(list + "?limit=1000").status == 200)
    let head = try client.send("HEAD", list + "?limit=2")
    #expect(head["Link"] == first["Link"])
  }

  @Test func `POST sessions creates one with a generated id: 201, Location, its State`() throws {
    for body in [nil, "", "{}", #"{"id":null,"from":null}"#] as [String?] {
      let response =
        if let body, !body.isEmpty {
          try client.send("POST", session.siblings, json: body)
        } else {
          try client.send("POST", session.siblings, body: body.map { Array($0.utf8) })
        }
      #expect(response.status == 201)
      #expect(response.text == #"{"value":0}"#)
      #expect(response.cursor?.version == 0)
      let place = try #require(response["Location"])
      #expect(place.hasPrefix(session.siblings + "/"))
      #expect(try client.get(place)["ETag"] == response["ETag"])
    }
  }

  @Test func `POST sessions forks another session's history at a version`() throws {
    try session.post(#"["increase",{"add":10}]"#)
    let fork = try client.send(
      "POST", session.siblings, json: #"{"from":{"session":"\#(session.id)","version":1}}"#)
    #expect(fork.status == 201)
    #expect(fork.text == #"{"value":1}"#)
    #expect(fork.cursor?.version == 1)
    #expect(fork.cursor?.epoch != (try session.state().cursor?.epoch))
  }

  @Test func `PUT a session is 201 with its State, then 200`() throws {
    let made = try session.put()
    #expect(made.status == 201)
    #expect(made.text == #"{"value":0}"#)
    try session.post(#""increase""#)
    let again = try session.put()
    #expect(again.status == 200)
    #expect(again.text == #"{"value":1}"#)
    #expect(again.cursor?.epoch == made.cursor?.epoch)
  }

  @Test func `DELETE a session is 204, whether it existed or not, and then it is gone`() throws {
    let never = server.session(of: "counter")
    #expect(try never.delete().status == 204)
    let epoch = try session.post(#""increase""#).cursor?.epoch
    for _ in 0..<2 {
      let response = try session.delete()
      #expect(response.status == 204)
      #expect(response.body.isEmpty)
    }
    for part in ["", "/state", "/log"] {
      try expectProblem(try client.get(session.path + part), 410, "session-ended")
    }
    try expectProblem(try session.post(#""increase""#), 410, "session-ended")
    let made = try session.put()
    #expect(made.status == 201)
    #expect(made.text == #"{"value":0}"#)
    #expect(made.cursor?.epoch != epoch)
  }

  @Test func `GET a session returns its State`() throws {
    let response = try client.get(session.path)
    #expect(response.text == #"{"value":0}"#)
    #expect(response["ETag"] == (try session.state()["ETag"]))
  }

  @Test func `GET state accepts If-None-Match, select and version together`() throws {
    try session.post(#"["increase","increase"]"#)
    let past = try session.state("?version=1&select=/value")
    #expect(past.text == "1")
    let tag = try #require(past["ETag"])
    #expect(
      try session.state("?version=1&select=/value", ["If-None-Match": tag]).status == 304)
    #expect(try session.state("?select=/value", ["If-None-Match": tag]).text == "2")
  }

  @Test func `GET log has version, at, action and mutation of each entry`() throws {
    try session.post(#""increase""#)
    let entry = try #require(try session.log().json.array?.first)
    #expect(entry.names == ["version", "at", "action", "mutation"])
    // A page that ends exactly at the end has no next page.
    try session.post(#""increase""#)
    #expect(try session.log("?limit=2")["Link"] == nil)
    let page = try session.log("?limit=1")
    #expect(page["Link"]?.contains(#"rel="next""#) == true)
    #expect(try session.log("?limit=1&after=1")["Link"] == nil)
  }

  @Test func `GET events of several sessions is one stream`() throws {
    let name = "counter/\(session.id)"
    let stream = try EventStream(port: server.port, "/v1/events?session=\(name)&session=\(name)")
    #expect(stream.head["Content-Type"] == "text/event-stream; charset=utf-8")
    #expect(try stream.nextEvent()?.event == name)
  }

  @Test func `globals are listed, read, set and streamed`() throws {
    let server = try ReactordProcess()
    let client = server.client()
    let globals = try client.get("/v1/globals").json["globals"]
    #expect(globals?.array?.first?["name"] == "currentUser")
    let path = "/v1/globals/currentUser"
    let read = try client.get(path)
    #expect(read.text == "null")
    let tag = try #require(read["ETag"])
    #expect(try client.get(path, ["If-None-Match": tag]).status == 304)
    let stream = try EventStream(port: server.port, path + "/events")
    #expect(try stream.nextEvent()?.data == "null")
    let user = #"{"id":7,"name":"Ada"}"#
    let set = try client.send("PUT", path, json: user)
    #expect(set.status == 200)
    #expect(set["ETag"] != tag)
    #expect(try JSON(parsing: stream.nextEvent()?.data ?? "") == set.json)
  }

  @Test func `healthz and readyz are 200 with a small JSON`() throws {
    for path in ["/healthz", "/readyz"] {
      let response = try client.get(path)
      #expect(response.status == 200)
      #expect(response["Content-Type"] == "application/json")
      #expect(try response.json["status"]?.string != nil)
    }
  }

  @Test func `the inspector is a web page`() throws {
    let response = try client.get("/", ["Accept": "text/html"])
    #expect(response["Content-Type"]?.hasPrefix("text/html") == true)
    #expect(response["Content-Security-Policy"] != nil)
  }

  @Test func `unknown parameters are ignored, and a repeated one is rejected`() throws {
    try session.post(#""increase""#)
    #expect(try session.state("?what=1&what=2&version=0").text == #"{"value":0}"#)
    try expectProblem(session.state("?version=0&version=1"), 400, "invalid-parameter")
  }
}
