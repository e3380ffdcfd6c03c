import ReactorCoding
import Testing

struct CaseShapeTests {
  static let shortest: [(Shape, String)] = [
    (.none, #""none""#),
    (.one(7), #"{"one":7}"#),
    (.labelled(x: 1, y: 2), #"{"labelled":{"x":1,"y":2}}"#),
    (.oneLabelled(by: 3), #"{"oneLabelled":{"by":3}}"#),
    (.several(1, 2), #"{"several":{"_0":1,"_1":2}}"#),
    (.mixed(1, name: "a"), #"{"mixed":{"_0":1,"name":"a"}}"#),
    (.maybe(nil), #"{"maybe":null}"#),
    (.maybe(5), #"{"maybe":5}"#),
    (.maybeLabelled(x: nil, y: 2), #"{"maybeLabelled":{"x":null,"y":2}}"#),
    (.object(User(name: "Ada")), #"{"object":{"name":"Ada"}}"#),
    (.underscored(Underscored(zero: 1)), #"{"underscored":{"_0":{"_0":1}}}"#),
    (.list([1, 2]), #"{"list":[1,2]}"#),
    (.list([]), #"{"list":[]}"#),
    (.dictionary(["b": 1, "a": 2]), #"{"dictionary":{"a":2,"b":1}}"#),
    (.dictionary(["_0": 1]), #"{"dictionary":{"_0":{"_0":1}}}"#),
    (.dictionary(["_0": 1, "a": 2]), #"{"dictionary":{"_0":{"_0":1,"a":2}}}"#),
    (.dictionary([:]), #"{"dictionary":{}}"#),
    (.empty(Empty()), #"{"empty":{}}"#),
    (.action(.increase), #"{"action":"increase"}"#),
    (.action(.add(5)), #"{"action":{"add":5}}"#),
    (.maybeAction(nil), #"{"maybeAction":null}"#),
    (.maybeAction(.decrease), #"{"maybeAction":"decrease"}"#),
    (.shape(.shape(.one(1))), #"{"shape":{"shape":{"one":1}}}"#),
    (.shape(.several(1, 2)), #"{"shape":{"several":{"_0":1,"_1":2}}}"#),
    (.shape(.underscored(Underscored(zero: 1))), #"{"shape":{"underscored":{"_0":{"_0":1}}}}"#),
  ]

  @Test(arguments: shortest)
  func `a case is written in the shortest form that round-trips`(
    _ value: Shape, _ text: String
  ) throws {
    #expect(try encoded(value) == text)
    #expect(try decoded(Shape.self, text, .strict) == value)
    #expect(try decoded(Shape.self, text, .lenient) == value)
  }

  @Test(
    arguments: [
      (#"{"none":{}}"#, .none),
      (#"{"one":{"_0":7}}"#, .one(7)),
      (#" { "one" : { "\u005f0" : 7 } } "#, .one(7)),
      (#"{"maybe":{"_0":null}}"#, .maybe(nil)),
      (#"{"maybe":{"_0":5}}"#, .maybe(5)),
      (#"{"maybeLabelled":{}}"#, .maybeLabelled(x: nil, y: nil)),
      (#""maybeLabelled""#, .maybeLabelled(x: nil, y: nil)),
      (#"{"object":{"_0":{"name":"Ada"}}}"#, .object(User(name: "Ada"))),
      (#"{"object":{"name":"Ada","age":36}}"#, .object(User(name: "Ada"))),
      (#"{"labelled":{"y":2,"x":1}}"#, .labelled(x: 1, y: 2)),
      (#"{"action":{"_0":{"add":{"_0":5}}}}"#, .action(.add(5))),
      (#"{"action":{"increase":{}}}"#, .action(.increase)),
      (#"{"shape":{"_0":"none"}}"#, .shape(.none)),
      (#"{"\u006fne":7}"#, .one(7)),
      (#""n\u006fne""#, .none),
    ] as [(String, Shape)])
  func `longer forms are decoded too`(_ text: String, _ value: Shape) throws {
    #expect(try decoded(Shape.self, text, .strict) == value)
  }

  @Test(
    arguments: [
      (#"{"none":5}"#, .none), (#"{"none":null}"#, .none), (#"{"none":{"by":3}}"#, .none),
      (#"{"labelled":{"x":1,"y":2,"z":3}}"#, .labelled(x: 1, y: 2)),
      (#"{"one":{"_0":7,"by":3}}"#, .one(7)),
      (#"{"maybeLabelled":7}"#, .maybeLabelled(x: nil, y: nil)),
    ] as [(String, Shape)])
  func `undeclared values of a case are ignored only in lenient mode`(
    _ text: String, _ value: Shape
  ) throws {
    #expect(try decoded(Shape.self, text, .lenient) == value)
    #expect(throws: JSONDecodingFailure.self) { try decoded(Shape.self, text, .strict) }
  }

  @Test func `renamed keys keep their names`() throws {
    #expect(try encoded([Renamed.follow(id: 7), .stop]) == #"[{"f":{"user":7}},"s"]"#)
    let both = #"[{"f":{"user":7}},"s",{"s":{}}]"#
    #expect(try decoded([Renamed].self, both) == [.follow(id: 7), .stop, .stop])
  }

  @Test func `generic, local and private enums have the same forms`() throws {
    enum Local: Codable, Hashable {
      case go(Int)
      case stay
    }
    #expect(try encoded([Local.go(1), .stay]) == #"[{"go":1},"stay"]"#)
    #expect(try decoded([Local].self, #"[{"go":1},"stay"]"#) == [.go(1), .stay])
    let values: [Generic<[Int]>] = [.value([1]), .nothing]
    #expect(try encoded(values) == #"[{"value":[1]},"nothing"]"#)
    #expect(try decoded([Generic<[Int]>].self, #"[{"value":[1]},"nothing"]"#) == values)
    let nested = Generic<Generic<User?>>.value(.value(nil))
    #expect(try encoded(nested) == #"{"value":{"value":null}}"#)
    #expect(try decoded(Generic<Generic<User?>>.self, #"{"value":{"value":null}}"#) == nested)
    #expect(try encoded(Secret.key(1)) == #"{"key":1}"#)
    #expect(try decoded(Secret.self, #"{"key":{"_0":1}}"#) == .key(1))
  }

  private enum Secret: Codable, Hashable { case key(Int) }

  @Test func `a struct with nested containers is written unchanged`() throws {
    let text = #"{"address":{"_0":"Seoul"}}"#
    #expect(try encoded(Handwritten(city: "Seoul")) == text)
    #expect(try decoded(Handwritten.self, text) == Handwritten(city: "Seoul"))
    #expect(throws: JSONDecodingFailure.self) {
      try decoded(Handwritten.self, #"{"address":"Seoul"}"#)
    }
  }

  @Test func `an enum inside a property wrapper has the same forms`() throws {
    struct Wrapper: Codable, Hashable {
      var action: CounterAction
      init(_ action: CounterAction) { self.action = action }
      init(from decoder: any Decoder) throws { action = try CounterAction(from: decoder) }
      func encode(to encoder: any Encoder) throws { try action.encode(to: encoder) }
    }
    let values = [Wrapper(.increase), Wrapper(.add(2))]
    #expect(try encoded(values) == #"["increase",{"add":2}]"#)
    #expect(try decoded([Wrapper].self, #"["increase",{"add":2}]"#) == values)
  }
}
