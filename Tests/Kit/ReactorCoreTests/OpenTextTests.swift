import ReactorCoding
import ReactorCore
import Testing

struct OpenTextTests {
  enum Heading: String, CaseIterable, Codable { case north, south }

  struct State: Codable, Equatable {
    var heading: Open<Heading> = "north"
    var byHeading: [Open<Heading>: Int] = [:]
  }

  private func text(_ value: some Encodable) throws -> String {
    String(decoding: try JSONCoder.encode(value), as: UTF8.self)
  }

  @Test func `the JSON is the bare text, also as a member name`() throws {
    let state = State(heading: "west", byHeading: ["south": 1, "up": 2])
    #expect(try text(state) == #"{"heading":"west","byHeading":{"south":1,"up":2}}"#)
    #expect(try JSONCoder.decode(State.self, from: Array(try text(state).utf8)) == state)
  }

  @Test func `values are equal by their texts`() {
    #expect(Open<Heading>.custom("north") == .known(.north))
    #expect(Set([Open<Heading>.custom("north"), .known(.north), "west"]).count == 2)
    switch Open<Heading>("west") {
    case .known(.north): Issue.record("This is north.")
    case "west": break
    case .custom, .known: Issue.record("This is another text.")
    }
    // Texts are compared by their bytes: canonically equivalent texts differ.
    #expect(Open<Heading>("\u{e9}") != "e\u{301}")
  }

  @Test func `another kind of JSON is rejected`() {
    let error = #expect(throws: JSONDecodingFailure.self) {
      try JSONCoder.decode(State.self, from: Array(#"{"heading":5,"byHeading":{}}"#.utf8))
    }
    #expect(error?.expected == ["string"])
  }

  @Test func `a text that becomes a case is read as the case`() throws {
    enum Later: String, CaseIterable { case north, south, west }
    let stored = try JSONCoder.encode(Open<Heading>("west"))
    #expect(try JSONCoder.decode(Open<Later>.self, from: stored) == .known(.west))
    if case .custom = try JSONCoder.decode(Open<Later>.self, from: stored) {
      Issue.record("The case was decoded as a custom text.")
    }
  }

  @Test func `the schema lists the known texts and accepts any other`() {
    let open = #"{"anyOf":[{"enum":["north","south"]},{"type":"string"}]}"#
    func schema<Value: Decodable>(_ type: Value.Type) -> String {
      String(decoding: JSONSchema.derive(type).bytes, as: UTF8.self)
    }
    #expect(schema(Open<Heading>.self) == open)
    #expect(
      schema(State.self) == #"{"type":"object","properties":{"heading":\#(open),"#
        + #""byHeading":{"type":"object","additionalProperties":{"type":"integer"}}},"#
        + #""required":["heading","byHeading"]}"#)
    #expect(schema(Open<Heading>?.self) == #"{"anyOf":[\#(open),{"type":"null"}]}"#)
    // The schema of the enum itself stays closed.
    #expect(schema(Heading.self) == #"{"enum":["north","south"]}"#)
  }

  @Test func `TypeScript offers the known texts and accepts any other`() {
    var declarations = TypeScriptDeclarations(comment: [])
    declarations.declare("State", comment: "A state.", schema: JSONSchema.derive(State.self))
    #expect(declarations.text.contains(#"heading: "north" | "south" | (string & {});"#))
  }

  @Test func `traits have the JSON of the page`() throws {
    let traits = try text(Traits(width: "compact", safeArea: Traits.SafeArea(top: 20)))
    #expect(
      traits == #"{"width":"compact","height":"regular","#
        + #""safeArea":{"top":20,"right":0,"bottom":0,"left":0},"scheme":"light","motion":"full","#
        + #""pointer":"fine","language":"en","textSize":16}"#)
    #expect(try JSONCoder.decode(Traits.self, from: Array(traits.utf8)).width == .known(.compact))
  }
}
