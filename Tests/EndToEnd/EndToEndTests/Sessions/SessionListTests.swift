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

  @Test(arguments: ["0", "1001", "-1", "x", "", "1.5", "99999999999999999999"])
  func `a limit outside of 1 to 1000 is 400 invalid-parameter`(limit: String) throws {
    try expectProblem(try client.get("\(list)?limit=\(limit)"), 400, "invalid-parameter")
  }
}
