import ReactorCoding
import Testing

@testable import TerminalClient

struct ChangeTextTests {
  private func lines(
    _ patch: String, on state: JSONValue, isColoured: Bool = false
  ) throws -> [String] {
    let patch = try JSONPatch(JSONDocument(parsing: Array(patch.utf8)).root)
    return TerminalText(isColoured: isColoured).lines(of: patch, on: state)
  }

  @Test func `each operation shows the previous and the new value`() throws {
    #expect(
      try lines(
        #"""
        [{"op":"replace","path":"/value","value":2},{"op":"remove","path":"/list/0"},
         {"op":"add","path":"/list/-","value":"c"},{"op":"move","from":"/value","path":"/other"},
         {"op":"replace","path":"","value":null}]
        """#, on: ["value": 1, "list": ["a", "b"]]) == [
          "~ /value 1 → 2", #"- /list/0 "a""#, #"+ /list/- "c""#, "~ /value moved to /other",
          #"~ / {"list":["b","c"],"other":2} → null"#,
        ])
  }

  @Test func `changes are coloured only on request`() throws {
    #expect(
      try lines(
        #"[{"op":"add","path":"/a","value":1}]"#, on: [:], isColoured: true)
        == ["\u{1B}[32m+ /a 1\u{1B}[0m"])
  }

  @Test func `a State cannot control the terminal`() throws {
    let text = try lines(
      #"[{"op":"add","path":"/a\u001b[2J","value":"\u009b31m\u202e"}]"#, on: [:]
    ).joined()
    #expect(!text.unicodeScalars.contains { [0x1B, 0x9B, 0x202E].contains($0.value) })
  }

  @Test(arguments: ["x", "\u{301}"])
  func `a long value is truncated, also if it is one character`(scalar: String) throws {
    let value = "x" + String(repeating: scalar, count: 5_000)
    let text = try lines(#"[{"op":"add","path":"/a","value":"\#(value)"}]"#, on: [:]).joined()
    #expect(text.unicodeScalars.count < 500)
    #expect(text.hasSuffix("…"))
  }
}
