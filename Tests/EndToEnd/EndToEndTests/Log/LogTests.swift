import Foundation
import Testing

/// `GET S/log`: the ordered mutations of a session.
@Suite(.blocking)
struct LogTests {
  let session: SessionClient

  init() throws {
    session = try ReactordProcess.shared.get().session(of: "counter")
  }

  @Test func `an entry has the time, the action and the mutation`() throws {
    try session.post(#""increase""#)
    try session.post(#"{"add":{"_0":5}}"#)
    let response = try session.log()
    #expect(response.status == 200)
    #expect(response["Content-Type"] == "application/json")
    let entries = try #require(try response.json.array)
    #expect(entries.map { $0["version"]?.int } == [1, 2])
    // The log contains the shortest form of an action, regardless of the form that was sent.
    #expect(entries.map { $0["action"] } == ["increase", ["add": 5]])
    #expect(entries.map { $0["mutation"] } == [["change": ["by": 1]], ["change": ["by": 5]]])
    for entry in entries {
      let time = try #require(entry["at"]?.string)
      #expect(time.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/) != nil)
    }
  }

  @Test func `a session without mutations has an empty log`() throws {
    #expect(try session.log().text == "[]")
  }

  @Test func `after and limit select a page, and Link has the next one`() throws {
    try session.post("[" + Array(repeating: #""increase""#, count: 5).joined(separator: ",") + "]")
    let first = try session.log("?after=1&limit=2")
    #expect(try first.json.array?.map { $0["version"]?.int } == [2, 3])
    let second = try session.client.get(try #require(first.nextPage))
    #expect(try second.json.array?.map { $0["version"]?.int } == [4, 5])
    #expect(second.nextPage == nil)
  }

  @Test func `after beyond the end is an empty page`() throws {
    try session.post(#""increase""#)
    for after in ["1", "2", "9223372036854775807"] {
      let response = try session.log("?after=\(after)")
      #expect(response.status == 200)
      #expect(response.text == "[]")
      #expect(response.nextPage == nil)
    }
  }

  @Test func `NDJSON has one entry per line`() throws {
    try session.post(#"["increase","decrease","increase"]"#)
    let response = try session.log("?limit=2", ["Accept": "application/x-ndjson"])
    #expect(response["Content-Type"]?.hasPrefix("application/x-ndjson") == true)
    #expect(response.text.hasSuffix("\n"))
    let lines = try response.text.split(separator: "\n").map { try JSON(parsing: String($0)) }
    #expect(lines.map { $0["version"]?.int } == [1, 2])
    let next = try session.client.get(
      try #require(response.nextPage), ["Accept": "application/x-ndjson"])
    #expect(try JSON(parsing: next.text)["version"] == 3)
    #expect(next.nextPage == nil)
  }

  @Test(arguments: [
    "limit=0", "limit=1001", "limit=x", "limit=", "after=-1", "after=x", "after=1e3",
    "after=99999999999999999999",
  ])
  func `a parameter out of range is 400 invalid-parameter`(query: String) throws {
    try expectProblem(try session.log("?" + query), 400, "invalid-parameter")
  }

  @Test func `pages cover a long log in order and without a gap`() throws {
    let batch = "[" + Array(repeating: #""increase""#, count: 500).joined(separator: ",") + "]"
    for _ in 0..<5 { try session.post(batch, ["Prefer": "return=minimal"]) }
    var versions: [Int] = []
    var times: [String] = []
    var page: String? = session.path + "/log?limit=999"
    while let path = page {
      let response = try session.client.get(path)
      let entries = try #require(try response.json.array)
      versions += entries.compactMap { $0["version"]?.int }
      times += entries.compactMap { $0["at"]?.string }
      page = response.nextPage
    }
    #expect(versions == Array(1...2500))
    #expect(times == times.sorted())
    for version in [1, 999, 1000, 1001, 2499] {
      #expect(try session.state("?version=\(version)").text == #"{"value":\#(version)}"#)
    }
  }

  @Test func `folding the log returns the state`() throws {
    try session.post(#"["increase",{"add":41},"decrease",{"add":-7}]"#)
    let sum = try session.log().json.array?.compactMap { $0["mutation"]?["change"]?["by"]?.int }
    #expect(try session.state().json["value"]?.int == sum?.reduce(0, +))
  }
}
