import Testing

/// The list of a reactor's sessions.
@Suite(.blocking)
struct SessionListTests {
  let server: ReactordProcess
  let client: HTTPClient

  init() throws {
    server = try ReactordProcess()
    client = server.client()
  }

  private let list = "/v1/reactors/counter/sessions"

  private func make(_ count: Int) throws -> [String] {
    let ids = (0..<count).map { "s\($0 + 100)" }
    for id in ids { _ = try client.send("PUT", "\(list)/\(id)") }
    return ids
  }

  @Test func `an entry has the id, the cursor, the subscribers and the time of the last activity`()
    throws
  {
    let session = server.session(of: "counter")
    let cursor = try #require(try session.post(#""increase""#).cursor)
    let stream = try session.events()
    _ = try stream.nextEvent()
    let entry = try #require(try client.get(list).json["sessions"]?.array?.first)
    #expect(entry["id"]?.string == session.id)
    #expect(entry["cursor"]?.string == cursor.description)
    #expect(entry["subscribers"] == 1)
    let time = try #require(entry["lastActiveAt"]?.string)
    #expect(time.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/) != nil)
  }

  @Test(arguments: [1, 3, 7, 1000])
  func `pages of any size list each session once`(limit: Int) throws {
    let ids = try make(7)
    var found: [String] = []
    var page: String? = "\(list)?limit=\(limit)"
    while let path = page {
      let response = try client.get(path)
      let entries = try #require(try response.json["sessions"]?.array)
      #expect(entries.count <= limit)
      #expect(!entries.isEmpty)
      found += entries.compactMap { $0["id"]?.string }
      page = response.nextPage
    }
    #expect(found.sorted() == ids)
  }

  @Test func `a reactor without sessions has an empty list and no next page`() throws {
    let response = try client.get("/v1/reactors/stopwatch/sessions")
    #expect(try response.json == ["sessions": []])
    #expect(response["Link"] == nil)
  }

  @Test func `an ended session is not listed`() throws {
    let ids = try make(2)
    _ = try client.send("DELETE", "\(list)/\(ids[0])")
    let listed = try client.get(list).json["sessions"]?.array?.map { $0["id"]?.string }
    #expect(listed == [ids[1]])
  }

  @Test(arguments: ["memory", "sqlite"])
  func `sessions are ranked by versions, also those that are stored only`(kind: String) throws {
    let folder = try TemporaryFolder()
    let store = kind == "sqlite" ? "sqlite:\(folder["log.db"])" : kind
    var server = try ReactordProcess("--store", store)
    for (id, count) in [("a", 1), ("b", 3), ("c", 2), ("d", 3), ("x", 9)] {
      let actions = Array(repeating: #""increase""#, count: count).joined(separator: ",")
      try SessionClient(server.client(), "\(list)/\(id)").post("[\(actions)]")
    }
    _ = try server.client().send("DELETE", "\(list)/x")
    if kind == "sqlite" {
      try server.stop()
      server = try ReactordProcess("--store", store)
    }
    try SessionClient(server.client(), "\(list)/a").post(#"["increase","increase","increase"]"#)
    var found: [String?] = []
    var page: String? = "\(list)?order=version&limit=2"
    while let path = page {
      let response = try server.client().get(path)
      #expect(try response.json["total"] == 4)
      found += try response.json["sessions"]?.array?.map { $0["id"]?.string } ?? []
      page = response.nextPage
    }
    #expect(found == ["a", "b", "d", "c"])
  }

  @Test(arguments: ["0", "1001", "-1", "x", "", "1.5", "99999999999999999999"])
  func `a limit outside of 1 to 1000 is 400 invalid-parameter`(limit: String) throws {
    try expectProblem(try client.get("\(list)?limit=\(limit)"), 400, "invalid-parameter")
  }
}
