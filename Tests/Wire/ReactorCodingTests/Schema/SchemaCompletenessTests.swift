import Foundation
import PublicTestData
import RandomJSON
import ReactorCoding
import Testing

/// Schemas list every member of a type, and what the coder writes fits them.
struct SchemaCompletenessTests {
  private func schema<Value: Decodable>(
    _ type: Value.Type, _ direction: JSONSchema.Direction = .output
  ) -> String {
    String(decoding: JSONSchema.derive(type, for: direction).bytes, as: UTF8.self)
  }

  private func members(_ schema: JSONValue) -> [String] {
    if case .object(let members)? = schema["properties"] { members.map(\.name) } else { [] }
  }

  // MARK: Generated types

  @Test(
    .enabled(if: PublicTestData.isInstalled, "\(PublicTestData.isMissing)"),
    arguments: UInt64(0)..<8)
  func `values of generated types are read back and fit the schemas`(_ seed: UInt64) throws {
    var random = JSONGenerator(seed: seed)
    var cases: [(schema: JSONValue, text: String)] = []
    func check<Value: GeneratedType>(_ type: Value.Type) throws {
      let schemas = [JSONSchema.derive(type), JSONSchema.derive(type, for: .input)]
      for schema in schemas where !Value.members.isEmpty {
        #expect(members(schema) == Value.members, "\(type): \(schema)")
      }
      for _ in 0..<3 {
        let value = Value.random(&random)
        let bytes = try JSONCoder.encode(value)
        let again = try JSONCoder.decode(type, from: bytes, strictness: .strict)
        #expect(again == value, "\(type)")
        // Equal dictionaries of pairs can have another order.
        #expect(try JSONCoder.encode(again).sorted() == bytes.sorted(), "\(type)")
        let text = String(decoding: bytes, as: UTF8.self)
        cases += schemas.map { ($0, text) }
      }
    }
    for depth in 0..<40 { try check(random.type(depth: depth % 4)) }
    let errors = try JSONSchemaValidator.errors(cases)
    #expect(errors == [], "\(errors.prefix(3))")
  }

  // MARK: Foundation

  struct Foundations: Codable {
    var zone = TimeZone.gmt
    var locale = Locale(identifier: "en_US")
    var calendar = Calendar(identifier: .gregorian)
    var components = DateComponents(year: 2026, month: 7)
    var indices = IndexSet([1, 2, 3, 7])
    var characters = CharacterSet(charactersIn: "abc")
    var parts = URLComponents(string: "https://example.org/?a=b")
    var required = URLComponents()
    var name = PersonNameComponents()
    var interval = DateInterval(start: Date(timeIntervalSince1970: 0), duration: 5)
    var path = IndexPath(indexes: [1, 2])
    var rectangle = CGRect(x: 1, y: 2, width: 3, height: 4)
    var point = CGPoint(x: 1, y: 2)
    var range = NSRange(location: 1, length: 2)
    var height = Measurement(value: 1.5, unit: UnitLength.meters)
    var closed = 1...5
    var from = 3...
    var duration = Duration.milliseconds(1500)
    var small: Int128 = 1
    var large: UInt128 = 1
    var vector = SIMD3<Float>(1, 2, 3)
    var list: ContiguousArray<Date> = [Date(timeIntervalSince1970: 0)]
    var never: Never?
    var interval2: TimeInterval = 1
    var dates = Date(timeIntervalSince1970: 0)..<Date(timeIntervalSince1970: 1)
    var last = true
  }

  @Test func `integers of 128 bits do not end the schema`() {
    struct Wide: Codable { var one: Int128, two: UInt128?, list: [UInt128], last: Bool }
    #expect(members(JSONSchema.derive(Wide.self)) == ["one", "two", "list", "last"])
    #expect(JSONSchema.undescribedTypes(in: Wide.self) == [])
  }

  @Test func `types of Foundation do not end the schema`() throws {
    let bytes = try JSONCoder.encode(Foundations())
    #expect(try JSONCoder.encode(JSONCoder.decode(Foundations.self, from: bytes)) == bytes)
    for direction in [JSONSchema.Direction.input, .output] {
      let schema = JSONSchema.derive(Foundations.self, for: direction)
      #expect(members(schema) == JSONDocument.names(bytes))
      guard PublicTestData.isInstalled else { continue }
      let text = String(decoding: bytes, as: UTF8.self)
      #expect(try JSONSchemaValidator.errors([(schema, text)]) == [])
    }
    #expect(JSONSchema.undescribedTypes(in: Foundations.self) == [])
  }

  // MARK: Forms

  @Test func `the values of Foundation have formats`() {
    struct State: Codable {
      var when: Date
      var link: URL?
      var bytes: Data
      var price: Decimal
      var identity: UUID
    }
    let members =
      #"{"when":{"type":"string","format":"date-time"},"#
      + #""link":{"type":["string","null"],"format":"uri"},"#
      + #""bytes":{"type":"string","contentEncoding":"base64"},"price":"#
    let identity = #","identity":{"type":"string","format":"uuid"}},"required":["#
    #expect(
      schema(State.self) == #"{"type":"object","properties":"# + members + #"{"type":"number"}"#
        + identity + #""when","link","bytes","price","identity"]}"#)
    #expect(
      schema(State.self, .input) == #"{"type":"object","properties":"# + members
        + #"{"anyOf":[{"type":"number"},{"type":"string","pattern":"#
        + #""^-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][+-]?[0-9]+)?$"}]}"# + identity
        + #""when","bytes","price","identity"]}"#)
  }

  @Test func `dictionaries with typed keys have a schema and a TypeScript type`() {
    enum Plain: String, Codable { case up, down }
    enum Number: Int, Codable, CodingKeyRepresentable { case one = 1, two }
    let cases: [(any Decodable.Type, String, String)] = [
      (
        [Direction: Int].self,
        #"{"type":"object","propertyNames":{"enum":["north","south"]},"#
          + #""additionalProperties":{"type":"integer"}}"#,
        #"{ [name in "north" | "south"]?: number }"#
      ),
      (
        [Number: Bool].self,
        #"{"type":"object","propertyNames":{"enum":["1","2"]},"#
          + #""additionalProperties":{"type":"boolean"}}"#, #"{ [name in "1" | "2"]?: boolean }"#
      ),
      (
        [Int: URL].self,
        #"{"type":"object","propertyNames":{"pattern":"^(0|-?[1-9][0-9]*)$"},"#
          + #""additionalProperties":{"type":"string","format":"uri"}}"#,
        "{ [name: string]: string }"
      ),
      (
        [Plain: Int].self,
        #"{"type":"array","items":{"anyOf":[{"enum":["up","down"]},{"type":"integer"}]}}"#,
        #"("up" | "down" | number)[]"#
      ),
      (
        [UUID: UUID].self,
        #"{"type":"array","items":{"type":"string","format":"uuid"}}"#, "string[]"
      ),
      (
        Range<Int>.self,
        #"{"type":"array","items":{"type":"integer"},"minItems":2,"maxItems":2}"#,
        "[number, number]"
      ),
    ]
    for (type, expected, declaration) in cases {
      #expect(schema(type) == expected)
      var declarations = TypeScriptDeclarations(comment: [])
      func derive<Value: Decodable>(_ type: Value.Type) -> JSONValue { JSONSchema.derive(type) }
      declarations.declare("T", comment: "", schema: derive(type))
      #expect(declarations.text.hasSuffix("export type T = \(declaration);\n"))
    }
  }

  @Test func `a type that cannot be described leaves the other members complete`() {
    struct State: Codable {
      var before: Int
      var picky: Picky
      var link: URL
      var inner: Inner?
      var later: [Email]
      var renamed: Bool

      struct Inner: Codable {
        var picky: Picky
        var next: Date?
      }

      enum CodingKeys: String, CodingKey { case before, picky, link, inner, later, renamed = "was" }
    }
    let inner =
      #"{"type":["object","null"],"properties":{"picky":{"type":"string"},"#
      + #""next":{"type":["string","null"],"format":"date-time"}},"required":["picky"]}"#
    #expect(
      schema(State.self)
        == #"{"type":"object","properties":{"before":{"type":"integer"},"picky":{"type":"string"},"#
        + #""link":{"type":"string","format":"uri"},"inner":"# + inner
        + #","later":{"type":"array","items":{"type":"string"}},"was":{"type":"boolean"}},"#
        + #""required":["before","picky","link","later","was"]}"#)
    enum Action: Codable { case put(Picky, at: Date, URL), stop }
    #expect(
      schema(Action.self)
        == #"{"oneOf":[{"type":"object","properties":{"put":{"type":"object","properties":"#
        + #"{"_0":{"type":"string"},"at":{},"_2":{}},"required":["_0","at","_2"],"#
        + #""additionalProperties":false}},"required":["put"],"additionalProperties":false},"#
        + #"{"const":"stop"}]}"#)
    let types = JSONSchema.undescribedTypes(in: State.self)
    #expect(types == ["ReactorCodingTests.Picky"])
  }

  @Test func `members that a type requests for some values only are not required`() throws {
    /// A union written by hand.
    enum Shape: Codable {
      case circle(Double), square(Int)

      enum Keys: CodingKey { case kind, radius, side }
      enum Kind: String, Codable { case circle, square }

      init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Keys.self)
        switch try container.decode(Kind.self, forKey: .kind) {
        case .circle: self = .circle(try container.decode(Double.self, forKey: .radius))
        case .square: self = .square(try container.decode(Int.self, forKey: .side))
        }
      }

      func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Keys.self)
        switch self {
        case .circle(let radius):
          try container.encode(Kind.circle, forKey: .kind)
          try container.encode(radius, forKey: .radius)
        case .square(let side):
          try container.encode(Kind.square, forKey: .kind)
          try container.encode(side, forKey: .side)
        }
      }
    }
    #expect(
      schema(Shape.self)
        == #"{"type":"object","properties":{"kind":{"enum":["circle","square"]},"#
        + #""radius":{"type":"number"},"side":{"type":"integer"}},"required":["kind"]}"#)
  }

  @Test func `a type that only reads times has their format`() {
    struct Day: Codable {
      let date: Date

      init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        date = try Date(text, strategy: .iso8601)
      }

      func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(date.formatted(.iso8601))
      }
    }
    #expect(schema(Day.self) == #"{"type":"string","format":"date-time"}"#)
  }

  @Test func `the smallest value passes the checks of the types`() throws {
    struct State: Codable {
      var link: URL
      var mail: Email
      var share: Percentage
      var names: Names
    }
    let state = try #require(JSONSchema.smallestValue(of: State.self))
    let text = String(decoding: try JSONCoder.encode(state), as: UTF8.self)
    #expect(
      text
        == #"{"link":"about:blank","mail":"user@example.org","share":{"value":1},"names":["",""]}"#
    )
  }
}

extension JSONDocument {
  fileprivate static func names(_ bytes: [UInt8]) -> [String] {
    (try? JSONDocument(parsing: bytes))?.root.members?.map(\.name) ?? []
  }
}
