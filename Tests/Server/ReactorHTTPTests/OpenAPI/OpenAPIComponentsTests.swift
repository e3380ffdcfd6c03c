import ReactorCoding
import Testing

@testable import ReactorHTTP

/// Schemas in the form for generators.
struct OpenAPIComponentsTests {
  private enum Move: Codable {
    case stop, back
    case step(by: Int)
    case name(String?)
  }

  private struct Tree: Codable {
    var name: String
    var children: [Tree]
  }

  private struct Pair: Codable {
    struct Part: Codable {
      var size: UInt8
    }

    var left: Part
    var right: [Part]
    var last: Part?
  }

  private func components(_ schema: JSONValue) -> [String: String] {
    var components = OpenAPIComponents(reserving: ["a.T"])
    components.add("a.T", schema)
    return Dictionary(
      uniqueKeysWithValues: components.schemas.map {
        ($0.name, String(decoding: $0.value.bytes, as: UTF8.self))
      })
  }

  private func reference(_ name: String) -> String { "{\"$ref\":\"#/components/schemas/\(name)\"}" }

  @Test func `plain cases are one enumeration, and alternatives are components`() {
    let found = components(JSONSchema.derive(Move.self))
    #expect(found["a.T.Name"] == #"{"type":"string","enum":["stop","back"]}"#)
    // The case `name` has the same name in generated code.
    let names = [reference("a.T.Name"), reference("a.T.Step"), reference("a.T.Name2")]
    #expect(found["a.T"] == "{\"oneOf\":[\(names.joined(separator: ","))]}")
    #expect(
      found["a.T.Name2"]
        == #"{"type":"object","properties":{"name":{"anyOf":[{"type":"string"},{"type":"null"}]}},"#
        + #""required":["name"],"additionalProperties":false}"#)
    #expect(found["a.T.Step.Step"]?.contains(#""by":{"type":"integer","format":"int64"}"#) == true)
  }

  @Test func `a recursive type is a component`() {
    let found = components(JSONSchema.derive(Tree.self))
    #expect(found["a.T"] == reference("a.T.Tree"))
    #expect(found["a.T.Tree"]?.contains(#""items":\#(reference("a.T.Tree"))"#) == true)
  }

  @Test func `equal parts are one component, and null is an alternative`() {
    let found = components(JSONSchema.derive(Pair.self))
    #expect(found.count == 2)
    #expect(found["a.T.Left"]?.contains(#""maximum":255,"format":"int32""#) == true)
    #expect(
      found["a.T"]?.contains(#""last":{"anyOf":[\#(reference("a.T.Left")),{"type":"null"}]}"#)
        == true)
  }

  @Test(
    arguments: [
      (["const": 3], #"{"type":"integer","enum":[3]}"#),
      (["type": "array"], #"{"type":"array","items":{}}"#),
      (
        ["type": ["number", "null"], "minimum": 0],
        #"{"anyOf":[{"type":"number","minimum":0,"format":"double"},{"type":"null"}]}"#
      ),
      (["enum": []], #"{"not":{}}"#),
      (JSONSchema.derive(Int.self), #"{"type":"integer","format":"int64"}"#),
      (
        JSONSchema.derive(UInt64.self),
        #"{"type":"integer","minimum":0,"maximum":18446744073709551615}"#
      ),
      (
        JSONSchema.derive(UInt32.self),
        #"{"type":"integer","minimum":0,"maximum":4294967295,"format":"int64"}"#
      ),
      (["oneOf": [["const": "a"], ["const": "b"]]], #"{"type":"string","enum":["a","b"]}"#),
    ] as [(JSONValue, String)])
  func `a schema without parts is rewritten in place`(_ schema: JSONValue, _ text: String) {
    #expect(components(schema)["a.T"] == text)
  }
}
