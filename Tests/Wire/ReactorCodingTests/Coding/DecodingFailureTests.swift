import ReactorCoding
import Testing

struct DecodingFailureTests {
  static let cases = ["increase", "decrease", "add"]

  @Test(
    arguments: [
      (#""bogus""#, "", cases), (#"{"bogus":5}"#, "", cases), ("5", "", cases), ("null", "", cases),
      ("[]", "", cases), ("true", "", cases), ("{}", "", cases),
      (#"{"increase":{},"add":5}"#, "", cases), (#"{"increase":{},"bogus":5}"#, "", cases),
      (#"{"add":5,"add":6}"#, "", cases),
      (#"{"add":"5"}"#, "/add", ["integer"]), (#"{"add":{"_0":"5"}}"#, "/add/_0", ["integer"]),
      (#"{"add":1.5}"#, "/add", ["integer"]), (#"{"add":1e19}"#, "/add", ["integer"]),
      (#"{"add":null}"#, "/add", ["integer"]), (#"{"add":{}}"#, "/add", ["integer"]),
      (#"{"add":{"by":5}}"#, "/add", ["integer"]), (#""add""#, "", ["object"]),
      (#"{"add":{"_0":5,"by":3}}"#, "/add/by", ["_0"]),
      (#"{"increase":5}"#, "/increase", ["object"]),
      (#"{"increase":null}"#, "/increase", ["object"]),
      (#"{"increase":{"by":3}}"#, "/increase/by", []),
    ] as [(String, String, [String])])
  func `an invalid action reports its pointer and the expected values`(
    _ text: String, _ pointer: String, _ expected: [String]
  ) throws {
    let failure = try #require(try failure(CounterAction.self, text))
    #expect(failure.pointer == pointer)
    #expect(failure.expected == expected)
    #expect(failure.detail.hasSuffix("."))
    #expect(!failure.detail.contains("CounterAction"))
  }

  @Test(arguments: [
    (#"["increase",{"add":"x"}]"#, "/1/add", 1), (#"["increase","bogus"]"#, "/1", 1),
    (#"[[]]"#, "/0", 0), (#"[1,"increase"]"#, "/0", 0),
  ])
  func `the failure of an array of actions reports the index`(
    _ text: String, _ pointer: String, _ index: Int
  ) throws {
    let failure = try #require(try failure([CounterAction].self, text))
    #expect(failure.pointer == pointer)
    #expect(failure.index == index)
  }

  @Test(
    arguments: [
      (#"{"labelled":{"x":1,"y":2,"z":3}}"#, "/labelled/z", ["x", "y"]),
      (#"{"labelled":{"x":1}}"#, "/labelled", ["object"]),
      (#"{"labelled":5}"#, "/labelled", ["object"]), (#""labelled""#, "", ["object"]),
      (#"{"labelled":{"x":1,"y":"2"}}"#, "/labelled/y", ["integer"]),
      (#"{"object":{"nam":"Ada"}}"#, "/object", ["object"]),
      (#"{"object":{}}"#, "/object", ["object"]), (#""maybe""#, "", ["object"]),
      (#"{"maybe":{}}"#, "/maybe", ["integer"]),
      (#"{"action":{"add":true}}"#, "/action/add", ["integer"]),
      (#"{"action":"bogus"}"#, "/action", cases),
      (#"{"shape":{"shape":{"list":[1,2,"3"]}}}"#, "/shape/shape/list/2", ["integer"]),
      (#"{"dictionary":{"a/b":null}}"#, "/dictionary/a~1b", ["integer"]),
    ] as [(String, String, [String])])
  func `an invalid payload is reported by its own pointer`(
    _ text: String, _ pointer: String, _ expected: [String]
  ) throws {
    let failure = try #require(try failure(Shape.self, text))
    #expect(failure.pointer == pointer)
    #expect(failure.expected == expected)
  }

  struct Sample: Decodable {
    var name: String
    var count: Int8
    var ratio: Float
    var kind: Kind
    var level: Level
    var user: User?
  }

  static let sample =
    #"{"name":"a","count":1,"ratio":1,"kind":"text","level":1,"user":null,"extra":true}"#

  @Test(
    arguments: [
      (#""name":"a""#, #""name":1"#, "/name", ["string"], "This is a number; write a string here."),
      (
        #""name":"a","#, "", "", ["object"],
        #"The member "name" is missing; add it to this object."#
      ),
      (
        #""count":1"#, #""count":300"#, "/count", ["integer"],
        "300 is out of range; write an integer from -128 to 127."
      ),
      (
        #""count":1"#, #""count":1.5"#, "/count", ["integer"],
        "1.5 has a fraction; write an integer."
      ),
      (
        #""ratio":1"#, #""ratio":1e39"#, "/ratio", ["number"],
        "1e39 is too large; write a number of smaller magnitude."
      ),
      (
        #""kind":"text""#, #""kind":"video""#, "/kind", ["text", "image", "something else"],
        "This is not one of the known values; write one of: text, image, something else."
      ),
      (
        #""level":1"#, #""level":2"#, "/level", ["1", "10"],
        "This is not one of the known values; write one of: 1, 10."
      ),
      (
        #""kind":"text""#, #""kind":4"#, "/kind", ["string"],
        "This is a number; write a string here."
      ),
      (
        #""user":null"#, #""user":{}"#, "/user", ["object"],
        #"The member "name" is missing; add it to this object."#
      ),
      (
        #""user":null"#, #""user":[]"#, "/user", ["object"],
        "This is an array; write an object here."
      ),
    ] as [(String, String, String, [String], String)])
  func `an invalid member is reported by its pointer`(
    _ part: String, _ replacement: String, _ pointer: String, _ expected: [String],
    _ detail: String
  ) throws {
    #expect(try failure(Sample.self, Self.sample) == nil)
    let text = Self.sample.split(separator: part, maxSplits: 1).joined(separator: replacement)
    var failure = try #require(try failure(Sample.self, text))
    failure.missingMember = nil
    #expect(
      failure == JSONDecodingFailure(pointer: pointer, expected: expected, detail: detail))
  }

  @Test func `an error thrown by a type is reported at its coding path`() throws {
    struct Even: Decodable {
      init(from decoder: any Decoder) throws {
        struct Odd: Error {}
        guard try decoder.singleValueContainer().decode(Int.self).isMultiple(of: 2) else {
          throw Odd()
        }
      }
    }
    struct Named: Decodable {
      enum CodingKeys: CodingKey { case name }
      init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        throw DecodingError.dataCorruptedError(
          forKey: .name, in: container, debugDescription: "Write a nicer name.")
      }
    }
    #expect(try failure([Even].self, "[2,3]")?.pointer == "/1")
    let failure = try #require(try failure([Named].self, #"[{"name":"x"}]"#))
    #expect(failure.pointer == "/0/name")
    #expect(failure.detail == "Write a nicer name.")
  }

  @Test func `several types can be tried in turn`() throws {
    enum Either: Decodable, Equatable {
      case text(String)
      case number(Int)
      init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let number = try? container.decode(Int.self) {
          self = .number(number)
        } else {
          self = .text(try container.decode(String.self))
        }
      }
    }
    #expect(try decoded([Either].self, #"[1,"a"]"#) == [.number(1), .text("a")])
    #expect(try failure([Either].self, "[1,null]")?.pointer == "/1")
  }

  @Test func `a syntax error has its own type`() throws {
    let error = #expect(throws: JSONSyntaxError.self) { try decoded(Int.self, "[1,]") }
    #expect(error?.offset == 3)
  }

  @Test func `pointers of a decoded element start at the root of its document`() throws {
    let document = try JSONDocument(parsing: Array(#"{"actions":["increase","bogus"]}"#.utf8))
    let actions = try #require(document.root["actions"]?.elements)
    #expect(try JSONCoder.decode(CounterAction.self, from: actions[0]) == .increase)
    let failure = #expect(throws: JSONDecodingFailure.self) {
      try JSONCoder.decode(CounterAction.self, from: actions[1])
    }
    #expect(failure?.pointer == "/actions/1")
  }

  @Test(arguments: [
    (#"{"names":{"any":1},"inner":{"count":1,"cuont":2}}"#, "/inner/cuont", ["count"]),
    (#"{"names":{},"inner":{"count":1},"a/b~":1}"#, "/a~1b~0", ["names", "inner"]),
    (#"{"names":{},"inner":{"count":1},"\u0430":1}"#, "/\u{430}", ["names", "inner"]),
  ])
  func `only an exact decoder rejects unknown members, at each depth`(
    _ text: String, _ pointer: String, _ known: [String]
  ) throws {
    struct Inner: Decodable { let count: Int }
    struct Outer: Decodable {
      let names: [String: Int]
      let inner: Inner
    }
    let failure = try #require(try failure(Outer.self, text, .exact))
    #expect(failure.pointer == pointer)
    #expect(failure.expected == known)
    #expect(try decoded(Outer.self, text, .strict).inner.count == 1)
    #expect(
      try decoded(Outer.self, #"{"names":{"any":1},"inner":{"count":1}}"#, .exact).inner.count == 1)
  }

  @Test func `case names are listed in declaration order`() {
    #expect(JSONCoder.caseNames(of: CounterAction.self) == Self.cases)
    #expect(JSONCoder.caseNames(of: Renamed.self) == ["f", "s"])
    #expect(JSONCoder.caseNames(of: Generic<Int>.self) == ["value", "nothing"])
    #expect(JSONCoder.caseNames(of: User.self) == nil)
    #expect(JSONCoder.caseNames(of: Int.self) == nil)
    #expect(JSONCoder.caseNames(of: Kind.self) == nil)
  }
}
