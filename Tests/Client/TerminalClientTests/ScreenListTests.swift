import ReactorCoding
import Testing

@testable import TerminalClient

struct ScreenListTests {
  private func line(_ json: String) throws -> String? {
    ScreenList.line(of: JSONValue(try JSONDocument(parsing: Array(json.utf8)).root))
  }

  @Test func `a stack is one line, with the screens of child flows and the path`() throws {
    let tip = #"{"screen":"tip","state":{}}"#
    let menu = #"{"screen":"menu","state":{"drinks":[]}}"#
    let checkout = #"{"screen":"checkout","state":{"stack":{"path":"/","entries":[\#(tip)]}}}"#
    #expect(
      try line(#"{"drinks":[],"stack":{"path":"/a","entries":[\#(menu)]}}"#) == "menu  /a")
    #expect(
      try line(#"{"stack":{"path":null,"entries":[\#(menu),\#(checkout)]}}"#)
        == "menu > checkout > tip")
  }

  @Test(arguments: [
    "1", "{}", #"{"stack":{"entries":[]}}"#, #"{"stack":{"entries":[{"screen":1,"state":{}}]}}"#,
    #"{"stack":{"entries":[{"screen":"a","state":{}},2]}}"#, #"{"entries":[]}"#,
  ])
  func `any other State has no line`(json: String) throws {
    #expect(try line(json) == nil)
  }

  @Test func `the line has no control characters`() throws {
    #expect(
      try line(#"{"stack":{"entries":[{"screen":"a\u001b[2J","state":{}}]}}"#) == "a\u{FFFD}[2J")
  }
}
