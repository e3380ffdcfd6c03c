import ReactorCoding
import Testing

struct JSONSchemaTests {
  private func schema<Value: Decodable>(
    _ type: Value.Type, _ direction: JSONSchema.Direction = .output,
    _ spelling: JSONSchema.Spelling = .shortest
  ) -> String {
    let value = JSONSchema.derive(type, for: direction, spelling: spelling)
    return String(decoding: value.bytes, as: UTF8.self)
  }

  @Test func `the schema of a counter's actions`() {
    #expect(
      schema(CounterAction.self)
        == #"{"oneOf":[{"const":"increase"},{"const":"decrease"},"#
        + #"{"type":"object","properties":{"add":{"type":"integer"}},"required":["add"],"#
        + #""additionalProperties":false}]}"#)
  }

  @Test func `the schema of a profile's mutations`() {
    #expect(
      schema(ProfileMutation.self)
        == #"{"oneOf":[{"type":"object","properties":{"setFollowing":{"type":"boolean"}},"#
        + #""required":["setFollowing"],"additionalProperties":false},"#
        + #"{"type":"object","properties":{"setUser":{"type":["object","null"],"#
        + #""properties":{"name":{"type":"string"}},"required":["name"]}},"#
        + #""required":["setUser"],"additionalProperties":false}]}"#)
  }

  @Test func `the schema accepts every spelling of a case`() {
    #expect(
      schema(Generic<Int>.self, .input, .every)
        == #"{"oneOf":[{"type":"object","properties":{"value":{"anyOf":[{"type":"integer"},"#
        + #"{"type":"object","properties":{"_0":{"type":"integer"}},"required":["_0"],"#
        + #""additionalProperties":false}]}},"required":["value"],"additionalProperties":false},"#
        + #"{"const":"nothing"},{"type":"object","properties":{"nothing":{"type":"object","#
        + #""maxProperties":0}},"required":["nothing"],"additionalProperties":false}]}"#)
  }

  @Test func `the schema of a struct has its required and optional members`() {
    struct State: Decodable {
      var name: String
      var user: User?
      var count: Int?
      var ratios: [Double]
      var byName: [String: Bool]
      var byte: UInt8
      var kind: Kind
      var level: Level?
      var free: JSONValue
    }
    let properties =
      #"{"type":"object","properties":{"name":{"type":"string"},"#
      + #""user":{"type":["object","null"],"properties":{"name":{"type":"string"}},"#
      + #""required":["name"]},"count":{"type":["integer","null"]},"#
      + #""ratios":{"type":"array","items":{"type":"number"}},"#
      + #""byName":{"type":"object","additionalProperties":{"type":"boolean"}},"#
      + #""byte":{"type":"integer","minimum":0,"maximum":255},"#
      + #""kind":{"enum":["text","image","something else"]},"#
      + #""level":{"anyOf":[{"enum":[1,10]},{"type":"null"}]},"free":{}},"required":["#
    #expect(
      schema(State.self, .output)
        == properties
        + #""name","user","count","ratios","byName","byte","kind","level","free"]}"#)
    #expect(
      schema(State.self, .input)
        == properties + #""name","ratios","byName","byte","kind","free"]}"#)
  }

  @Test func `a recursive struct is defined once`() {
    #expect(
      schema(Tree.self)
        == ##"{"$ref":"#/$defs/Tree","$defs":{"Tree":{"type":"object","properties":{"##
        + ##""value":{"type":"integer"},"children":{"type":"array","##
        + ##""items":{"$ref":"#/$defs/Tree"}}},"required":["value","children"]}}}"##)
  }

  @Test func `a recursive enum is defined once`() {
    let text = schema(Expression.self)
    #expect(text.hasPrefix(##"{"$ref":"#/$defs/Expression","$defs":{"Expression":{"oneOf":["##))
    #expect(
      text.contains(
        ##"{"_0":{"$ref":"#/$defs/Expression"},"_1":{"$ref":"#/$defs/Expression"}}"##))
  }

  @Test func `all labels of a case are listed`() throws {
    let schema = JSONSchema.derive(Shape.self)
    let root = try #require(schema["$defs"]?["Shape"])
    guard case .array(let alternatives)? = root["oneOf"] else {
      Issue.record("no alternatives")
      return
    }
    #expect(alternatives.count == 16)
    let text = String(decoding: root.bytes, as: UTF8.self)
    #expect(
      text.contains(
        #""labelled":{"type":"object","properties":{"x":{"type":"integer"},"y":{"type":"integer"}},"#
          + #""required":["x","y"],"additionalProperties":false}"#))
    #expect(text.contains(#""maybe":{"type":["integer","null"]}"#))
    #expect(text.contains(#""list":{"type":"array","items":{"type":"integer"}}"#))
    #expect(text.contains(##""shape":{"$ref":"#/$defs/Shape"}"##))
  }

  @Test func `an enum without associated values is a list of names`() {
    enum Command: Codable { case start, stop, reset }
    #expect(schema(Command.self) == #"{"enum":["start","stop","reset"]}"#)
  }

  @Test func `a type that rejects placeholders is left open`() {
    struct Picky: Decodable {
      init(from decoder: any Decoder) throws {
        struct Never: Error {}
        throw Never()
      }
    }
    struct Holder: Decodable {
      var before: Int
      var picky: Picky?
      var after: Bool
    }
    #expect(
      schema(Holder.self)
        == #"{"type":"object","properties":{"before":{"type":"integer"},"picky":{},"#
        + #""after":{"type":"boolean"}},"required":["before","picky","after"]}"#)
    #expect(schema(Picky.self) == "{}")
  }

  @Test(arguments: [0, 1, 2, 3])
  func `encoded cases match the schema`(_ position: Int) throws {
    let names = JSONCoder.caseNames(of: ProfileMutation.self)
    let values: [ProfileMutation] = [
      .setFollowing(true), .setUser(nil), .setUser(User(name: "Ada")), .setFollowing(false),
    ]
    let document = try JSONDocument(parsing: try JSONCoder.encode(values[position]))
    let name = try #require(document.root.members?.first?.name)
    #expect(names?.contains(name) == true)
  }
}
