import Testing

/// Values that all sessions share.
@Suite(.blocking)
struct GlobalTests {
  let server: ReactordProcess
  let client: HTTPClient
  let profile: SessionClient

  init() throws {
    server = try ReactordProcess()
    client = server.client()
    profile = server.session(of: "profile")
  }

  private let path = "/v1/globals/currentUser"

  private func signIn(_ name: String) throws -> HTTPResponse {
    try client.send("PUT", path, json: #"{"name":"\#(name)"}"#)
  }

  @Test func `the globals are listed with their links`() throws {
    let response = try client.get("/v1/globals")
    #expect(response.status == 200)
    let globals = try #require(try response.json["globals"]?.array)
    #expect(globals.count == 1)
    #expect(globals.first?["name"] == "currentUser")
    #expect(globals.first?["links"]?["self"] == .string(path))
  }

  @Test func `GET of a global returns its bare value, with an ETag`() throws {
    let first = try client.get(path)
    #expect(first.status == 200)
    #expect(first.text == "null")
    #expect(first.cursor != nil)
    let put = try signIn("Ada")
    #expect(put.status == 200)
    #expect(put.text == #"{"name":"Ada"}"#)
    let second = try client.get(path)
    #expect(second.text == #"{"name":"Ada"}"#)
    #expect(second["ETag"] == put["ETag"])
    #expect(second["ETag"] != first["ETag"])
    let tag = try #require(second["ETag"])
    #expect(try client.get(path, ["If-None-Match": tag]).status == 304)
  }

  @Test func `every live session follows a global`() throws {
    let sessions = (0..<3).map { _ in server.session(of: "profile") }
    let streams = try sessions.map { try $0.events() }
    for stream in streams { #expect(try stream.nextEvent()?.json["user"] == .null) }
    _ = try signIn("Ada")
    for stream in streams { #expect(try stream.nextEvent()?.json["user"] == ["name": "Ada"]) }
    _ = try client.send("PUT", path, json: "null")
    for stream in streams { #expect(try stream.nextEvent()?.json["user"] == .null) }
  }

  @Test func `a session receives a global's value when it starts`() throws {
    let before = try profile.state()
    #expect(before.cursor?.version == 0)
    _ = try signIn("Ada")
    let later = server.session(of: "profile")
    _ = try later.put()
    #expect(try eventually { try later.state().json["user"] == ["name": "Ada"] })
    #expect(try later.state().cursor?.version == 1)
    #expect(try later.state("?version=0").text == #"{"isFollowing":false,"user":null}"#)
  }

  @Test func `reading a session that does not exist stores no value of a global`() throws {
    _ = try signIn("Ada")
    for _ in 1...2 { #expect(try profile.state().cursor?.version == 0) }
    #expect(try profile.state()["ETag"] == profile.state()["ETag"])
    #expect(try profile.client.get(profile.path).status == 200)
    let listed = try client.get(profile.siblings).json["sessions"]?.array
    #expect(listed?.isEmpty == true)
    #expect(try profile.put().status == 201)
  }

  @Test(arguments: ["", "?delta=patch", "?old=true", "?format=datastar", "?select=/user"])
  func `a session that does not exist shows the global with which it would begin`(
    query: String
  ) throws {
    let initial = try profile.state()
    _ = try signIn("Ada")
    let read = try profile.state()
    #expect(try read.json["user"] == ["name": "Ada"])
    #expect(read["ETag"] != initial["ETag"])
    let tag = try #require(read["ETag"])
    #expect(try profile.state("", ["If-None-Match": tag]).status == 304)
    #expect(try client.send("HEAD", profile.path + "/state")["ETag"] == tag)
    #expect(try profile.state("?select=/user").json == ["name": "Ada"])
    let stream = try profile.events(query)
    #expect(try stream.nextEvent()?.data?.contains("Ada") == true)
    let several = try EventStream(
      port: server.port,
      "/v1/events?session=profile/\(profile.path.split(separator: "/").last ?? "")")
    #expect(try several.nextEvent()?.data?.contains("Ada") == true)
    let listed = try client.get(profile.siblings).json["sessions"]?.array
    #expect(listed?.isEmpty == true)
    let first = try profile.post(#"{"follow":1}"#, ["If-Match": tag])
    #expect(first.status == 200)
    #expect(try first.json == ["isFollowing": true, "user": ["name": "Ada"]])
    #expect(try several.nextEvent()?.data?.contains("Ada") == true)
  }

  @Test func `a global's mutation has no action in the log, and names the global`() throws {
    _ = try profile.put()
    try profile.post(#"{"follow":1}"#)
    _ = try signIn("Ada")
    #expect(try eventually { try profile.state().cursor?.version == 2 })
    let entries = try #require(try profile.log().json.array)
    #expect(entries[0]["action"] == ["follow": 1])
    #expect(entries[0]["global"] == nil)
    #expect(entries[1]["action"] == .null)
    #expect(entries[1]["global"] == "currentUser")
    #expect(entries[1]["mutation"] == ["setUser": ["name": "Ada"]])
  }

  @Test func `an invalid value is 422 invalid-body`() throws {
    let problem = try expectProblem(
      try client.send("PUT", path, json: #"{"name":7}"#), 422, "invalid-body")
    #expect(problem["pointer"] == "/name")
    #expect(problem["expected"] == ["string"])
    try expectProblem(try client.send("PUT", path, json: "{"), 400, "malformed-json")
    try expectProblem(
      try client.send("PUT", path, body: Array("null".utf8)), 415, "unsupported-media-type")
    #expect(try client.get(path).text == "null")
  }

  @Test func `an unknown global is 404 unknown-global`() throws {
    try expectProblem(try client.get("/v1/globals/other"), 404, "unknown-global")
    try expectProblem(try client.send("PUT", "/v1/globals/other", json: "1"), 404, "unknown-global")
  }

  @Test func `an acknowledged value survives a kill, and sessions receive it once`()
    throws
  {
    let folder = try TemporaryFolder()
    let store = "sqlite:\(folder["log.db"])"
    let first = try ReactordProcess("--store", store)
    let before = SessionClient(first.client(), "/v1/reactors/profile/sessions/one")
    let put = try first.client().send("PUT", path, json: #"{"name":"Ada"}"#)
    #expect(put.status == 200)
    #expect(try before.put().status == 201)
    #expect(try eventually { try before.state().cursor?.version == 1 })
    let state = try before.state()
    first.process.kill()
    try first.process.wait()

    let second = try ReactordProcess("--store", store)
    let response = try second.client().get(path)
    #expect(response.text == #"{"name":"Ada"}"#)
    #expect(response["ETag"] == put["ETag"])
    let after = SessionClient(second.client(), "/v1/reactors/profile/sessions/one")
    try after.post(#"{"follow":7}"#)
    #expect(try after.state().cursor?.version == 2)
    #expect(try after.state().cursor?.epoch == state.cursor?.epoch)
  }

  @Test func `a value that a full disk rejects is 507 and not set`() throws {
    let folder = try TemporaryFolder()
    let server = try ReactordProcess("--store", "sqlite:\(folder["log.db"])")
    _ = try server.session(of: "counter").put()
    let limiting = try ChildProcess(
      "/usr/bin/prlimit", ["--pid", "\(server.process.id)", "--fsize=1:unlimited"])
    #expect(try limiting.wait() == .code(0))
    try expectProblem(
      server.client().send("PUT", path, json: #"{"name":"Ada"}"#), 507, "storage-full")
    #expect(try server.client().get(path).text == "null")
  }
}
