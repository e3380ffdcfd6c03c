import ReactorHost
import ReactorLog
import ReactorTransport
import Testing

@testable import ReactorHTTP

struct EntityTagsTests {
  private let cursor = Cursor(epoch: "a", version: 1)

  @Test(arguments: [
    (#""a-1""#, true), (#"W/"a-1""#, true), ("*", true), (" * ", true), (#""b-1", "a-1""#, true),
    (#""b-1",W/"a-1""#, true), (#""a-2""#, false), (#""b-1""#, false), (#""""#, false), ("", false),
    (#","a-1","#, true), (#""A-1""#, false),
  ])
  func `If-None-Match compares weakly`(field: String, holds: Bool) throws {
    #expect(try EntityTags(field, name: "If-None-Match").contains(cursor.description) == holds)
  }

  @Test(arguments: [
    (#""a-1""#, ["a-1"]), (#"W/"a-1""#, []),
    (#""x", "a-1+gzip", W/"a-2-gzip", "b-7-gzip""#, ["a-1", "b-7"]), ("", []),
    (#""not a cursor""#, []),
  ])
  func `If-Match ignores weak tags`(field: String, points: [String]) throws {
    #expect(try EntityTags(field, name: "If-Match").cursors?.map(\.description) == points)
  }

  @Test func `a star matches any cursor`() throws {
    #expect(try EntityTags("*", name: "If-Match").cursors == nil)
  }

  @Test(arguments: ["a-1", #""a-1"#, #"a-1""#, #"w/"a-1""#, #""a-1" b"#, "**", "W/", "\""])
  func `a malformed field is a problem`(field: String) {
    let problem = #expect(throws: Problem.self) { try EntityTags(field, name: "If-Match") }
    #expect(problem?.status == 400)
  }
}
