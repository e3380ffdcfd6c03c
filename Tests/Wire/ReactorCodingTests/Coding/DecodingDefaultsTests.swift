import ReactorCoding
import Testing

/// Members that are missing in JSON, and the defaults that types declare for them.
@Suite struct DecodingDefaultsTests {
  private struct Card: Codable, Equatable, DecodingDefaults {
    var id: String
    var labels: [String] = ["new"]
    var due: Int? = 7
    var kind = Kind.task
    var size = 1
    var ratio = 0.5
    var isOpen = true
    var place = Place(x: 1, y: 2)

    enum Kind: String, Codable { case task, bug }

    private enum CodingKeys: String, CodingKey {
      case id, due, kind, size, ratio, isOpen, place
      case labels = "tags"
    }

    static var decodingDefaults: MemberDefaults<Card> {
      MemberDefaults(
        "tags", "due", "kind", "size", "ratio", "isOpen", "place", of: Card(id: "unused"))
    }
  }

  private struct Place: Codable, Equatable {
    var x: Int
    var y: Int
  }

  private struct Board: Codable, Equatable, DecodingDefaults {
    var title = "Board"
    var cards: [Card] = []
    var byName: [String: Card] = [:]
    static var decodingDefaults: MemberDefaults<Board> { MemberDefaults(of: Board()) }
  }

  private enum Change: Codable, Equatable, DecodingDefaults {
    case put(Card)
    case move(card: Card, to: String, times: Int = 3)
    case add(Int = 5)
    case swap(Int, Int = 2)
    case finish(at: Int = 9, by: String? = "me")
    case open

    static var decodingDefaults: MemberDefaults<Change> {
      [
        MemberDefaults("times", of: .move(card: Card(id: ""), to: "")), MemberDefaults(of: .add()),
        MemberDefaults("_1", of: .swap(0)), MemberDefaults("at", "by", of: .finish()),
      ]
    }
  }

  private enum Bare: Codable { case put(id: Int, labels: [String] = []) }

  private struct Pair<First: Codable & ExpressibleByStringLiteral>: Codable, DecodingDefaults {
    var first: First
    var second = 1

    static var decodingDefaults: MemberDefaults<Pair> {
      MemberDefaults("second", of: Pair(first: ""))
    }
  }

  private final class Counter: Codable, DecodingDefaults {
    var name: String
    var count = 4
    init(name: String) { self.name = name }
    static var decodingDefaults: MemberDefaults<Counter> {
      MemberDefaults("count", of: Counter(name: ""))
    }
  }

  private struct Mistaken: Codable, DecodingDefaults {
    var name = ""
    static var decodingDefaults: MemberDefaults<Mistaken> {
      MemberDefaults("nmae", of: Mistaken())
    }
  }

  private struct Plain: Codable {
    var id: String
    var labels: [String] = []
  }

  private func decode<Value: Decodable>(
    _ type: Value.Type, _ text: String, _ strictness: JSONCoder.Strictness = .lenient
  ) throws -> Value {
    try JSONCoder.decode(type, from: Array(text.utf8), strictness: strictness)
  }

  @Test(arguments: [JSONCoder.Strictness.lenient, .strict])
  func `a missing member takes its default`(_ strictness: JSONCoder.Strictness) throws {
    let card = Card(id: "a")
    #expect(try decode(Card.self, #"{"id":"a"}"#, strictness) == card)
    #expect(try decode([Card].self, #"[{"id":"a"}]"#, strictness) == [card])
    #expect(try decode(Change.self, #"{"put":{"id":"a"}}"#, strictness) == .put(card))
    #expect(
      try decode(Change.self, #"{"move":{"card":{"id":"a"},"to":"b"}}"#, strictness)
        == .move(card: card, to: "b"))
    #expect(
      try decode([Change].self, #"["add",{"swap":{"_0":1}}]"#, strictness) == [.add(), .swap(1)])
    for text in [#""finish""#, #"{"finish":{}}"#] {
      #expect(try decode(Change.self, text, strictness) == .finish())
    }
    #expect(
      try decode([Change].self, #"[{"finish":{"at":1,"by":null}},{"add":1},"open"]"#, strictness)
        == [.finish(at: 1, by: nil), .add(1), .open])
    #expect(
      try decode(Board.self, #"{"cards":[{"id":"a"}],"byName":{"x":{"id":"a"}}}"#, strictness)
        == Board(cards: [card], byName: ["x": card]))
    #expect(try decode(Board.self, "{}", strictness) == Board())
    #expect(try decode(Counter.self, #"{"name":"n"}"#, strictness).count == 4)
    let pair = try decode(Pair<String>.self, #"{"first":"y"}"#, strictness)
    #expect(pair.first == "y" && pair.second == 1)
  }

  @Test func `a member that is present is decoded, and null is a value`() throws {
    let card = try decode(
      Card.self, #"{"id":"a","tags":[],"due":null,"kind":"bug","size":2,"isOpen":false}"#)
    #expect(
      card == Card(id: "a", labels: [], due: nil, kind: .bug, size: 2, isOpen: false))
    #expect(throws: JSONDecodingFailure.self) {
      try decode(Card.self, #"{"id":"a","tags":null}"#)
    }
  }

  @Test func `every subset of the members with defaults can be missing`() throws {
    let card = Card(id: "a")
    let members = JSONValue(try JSONDocument(parsing: JSONCoder.encode(card)).root)
    guard case .object(let all) = members else { return #expect(Bool(false)) }
    for mask in 0..<(1 << all.count) {
      let kept = all.enumerated().filter { mask >> $0.offset & 1 == 1 }.map(\.element)
      let decoded = try? JSONCoder.decode(Card.self, from: JSONValue.object(kept).bytes)
      #expect(decoded == (kept.contains { $0.name == "id" } ? card : nil))
    }
  }

  @Test func `a missing member without a default is named for clients and for operators`() throws {
    func failure<Value: Decodable>(_ type: Value.Type, _ text: String) -> JSONDecodingFailure? {
      do {
        _ = try decode(type, text)
        return nil
      } catch { return error as? JSONDecodingFailure }
    }
    let card = try #require(failure([Card].self, #"[{"tags":[]}]"#))
    #expect(card.pointer == "/0")
    #expect(card.missingMember?.type == "Card" && card.missingMember?.name == "id")
    let plain = try #require(failure([Plain].self, #"[{"id":"a"}]"#))
    #expect(plain.detail == #"The member "labels" is missing; add it to this object."#)
    #expect(
      plain.storedDetail
        == "Plain.labels is missing and has no default for JSON; name it in Plain.decodingDefaults: "
        + #"MemberDefaults("labels", of: Plain(…))."#)
    let change = try #require(failure(Bare.self, #"{"put":{"id":1}}"#))
    #expect(change.pointer == "/put")
    #expect(
      change.storedDetail
        == "Bare.put(labels:) is missing and has no default for JSON; name it in Bare.decodingDefaults: "
        + #"MemberDefaults("labels", of: .put(…))."#)
    // A default that cannot be read is none.
    #expect(failure(Mistaken.self, "{}")?.missingMember?.name == "name")
  }

  @Test func `a mistake in the declaration is found`() {
    #expect(JSONSchema.defaultsProblem(in: Board.self) == nil)
    #expect(JSONSchema.defaultsProblem(in: Change.self) == nil)
    #expect(
      JSONSchema.defaultsProblem(in: [String: [Mistaken]].self)
        == #"Mistaken.decodingDefaults names "nmae", which is no member of the JSON; write one of: name."#
    )
  }

  @Test func `a stored object takes missing members from another value`() throws {
    let defaults = JSONCoder.rootDefaults(Plain(id: "d", labels: ["d"]))
    let plain = try JSONCoder.decode(
      Plain.self, from: Array(#"{"id":"a"}"#.utf8), rootDefaults: defaults)
    #expect(plain.id == "a" && plain.labels == ["d"])
    // A member that the type does not have may be a renamed one.
    #expect(throws: JSONDecodingFailure.self) {
      try JSONCoder.decode(
        Plain.self, from: Array(#"{"id":"a","tags":["x"]}"#.utf8), rootDefaults: defaults)
    }
    // Only the object itself, not those inside it.
    let inside = JSONCoder.rootDefaults([Plain(id: "d")])
    #expect(inside == nil)
    #expect(throws: JSONDecodingFailure.self) {
      try JSONCoder.decode(
        [Plain].self, from: Array(#"[{"id":"a"}]"#.utf8), rootDefaults: defaults)
    }
  }

  @Test func `schemas for input state defaults and do not require the members`() throws {
    let schema = JSONSchema.derive(Card.self, for: .input)
    #expect(schema["required"] == ["id"])
    #expect(schema["properties"]?["tags"]?["default"] == ["new"])
    #expect(schema["properties"]?["kind"]?["default"] == "task")
    #expect(schema["properties"]?["place"]?["default"] == ["x": 1, "y": 2])
    #expect(schema["properties"]?["id"]?["default"] == nil)
    struct Written: Codable {
      var size: Int
      init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        size = try container.decodeIfPresent(Int.self, forKey: .size) ?? 3
      }
    }
    let written = JSONSchema.derive(Written.self, for: .input)
    #expect(written["properties"]?["size"]?["default"] == 3)
    let output = String(decoding: JSONSchema.derive(Card.self, for: .output).bytes, as: UTF8.self)
    #expect(!output.contains("default"))
    let change = JSONSchema.derive(Change.self, for: .input, spelling: .every)
    let text = String(decoding: change.bytes, as: UTF8.self)
    #expect(text.contains(#""times":{"type":"integer","default":3}}"#))
    #expect(text.contains(#""add":{"anyOf":[{"type":"integer","default":5}"#))
    var types = TypeScriptDeclarations(comment: [])
    types.declare("Card", comment: "A card.", schema: schema)
    #expect(types.text.contains("id: string; due?: number | null; kind?: \"task\" | \"bug\""))
  }

  @Test func `missing members at every depth are read in linear time`() throws {
    struct Tree: Codable, DecodingDefaults {
      var inner: [Tree] = []
      var name: String = "leaf"
      static var decodingDefaults: MemberDefaults<Tree> { MemberDefaults(of: Tree()) }
    }
    let text =
      String(repeating: #"{"inner":["#, count: 200) + "{}" + String(repeating: "]}", count: 200)
    var tree = try decode(Tree.self, text)
    for _ in 0..<200 { tree = try #require(tree.inner.first) }
    #expect(tree.name == "leaf" && tree.inner.isEmpty)
  }
}
