import RandomJSON
import ReactorCoding
import Testing

struct JSONDifferenceTests {
  private func patch(_ old: String, _ new: String) -> String {
    String(
      decoding: JSONDifference.patch(from: Array(old.utf8), to: Array(new.utf8)), as: UTF8.self)
  }

  @Test(
    arguments: [
      (#"{"value":3}"#, #"{"value":3}"#, #"[]"#),
      (#"{"value":3}"#, #"{"value":4}"#, #"[{"op":"replace","path":"/value","value":4}]"#),
      ("1", "2", #"[{"op":"replace","path":"","value":2}]"#),
      ("null", #"{"a":1}"#, #"[{"op":"replace","path":"","value":{"a":1}}]"#),
      (
        #"{"a":"some text that is long","b":1}"#, #"{"a":"some text that is long","b":1,"c":[]}"#,
        #"[{"op":"add","path":"/c","value":[]}]"#
      ),
      (
        #"{"a":"some text that is long","b":1}"#, #"{"a":"some text that is long"}"#,
        #"[{"op":"remove","path":"/b"}]"#
      ),
      (
        #"{"user":{"name":"Ada","bio":"long long long text"},"n":1}"#,
        #"{"user":{"name":"Eve","bio":"long long long text"},"n":1}"#,
        #"[{"op":"replace","path":"/user/name","value":"Eve"}]"#
      ),
    ])
  func `a changed member takes one operation`(old: String, new: String, expected: String) {
    #expect(patch(old, new) == expected)
  }

  private static let list = (0..<40).map { #""element \#($0)""# }

  private func list(_ elements: [String]) -> String {
    #"{"list":["# + elements.joined(separator: ",") + "]}"
  }

  @Test(arguments: [0, 1, 20, 39, 40])
  func `an inserted element takes one operation at any position`(position: Int) {
    var elements = Self.list
    elements.insert("true", at: position)
    #expect(
      patch(list(Self.list), list(elements))
        == #"[{"op":"add","path":"/list/\#(position)","value":true}]"#)
  }

  @Test(arguments: [0, 1, 20, 39])
  func `a removed element takes one operation at any position`(position: Int) {
    var elements = Self.list
    elements.remove(at: position)
    #expect(
      patch(list(Self.list), list(elements)) == #"[{"op":"remove","path":"/list/\#(position)"}]"#)
  }

  @Test func `changes at several positions take one operation each`() {
    var elements = Self.list
    elements.removeLast()
    elements[20] = "0"
    elements.remove(at: 10)
    elements.insert("7", at: 0)
    #expect(
      patch(list(Self.list), list(elements)) == """
        [{"op":"add","path":"/list/0","value":7},{"op":"remove","path":"/list/11"},\
        {"op":"replace","path":"/list/20","value":0},{"op":"remove","path":"/list/39"}]
        """)
  }

  @Test func `the patch of a sliding window has two operations`() {
    let old = list(Array(Self.list[0..<30]))
    let new = list(Array(Self.list[1..<31]))
    #expect(
      patch(old, new) == """
        [{"op":"remove","path":"/list/0"},{"op":"add","path":"/list/29","value":"element 30"}]
        """)
  }

  @Test func `a changed element is compared recursively`() {
    let old = #"[{"id":1,"text":"a longer text of it"},{"id":2,"text":"a longer text of it"}]"#
    let new = #"[{"id":1,"text":"a longer text of it"},{"id":3,"text":"a longer text of it"}]"#
    #expect(patch(old, new) == #"[{"op":"replace","path":"/1/id","value":3}]"#)
  }

  @Test func `a value is replaced where that is shorter`() {
    #expect(
      patch(#"{"a":1,"b":2,"c":3}"#, #"{"d":1}"#)
        == #"[{"op":"replace","path":"","value":{"d":1}}]"#)
    let old = #"{"deep":[1,2,3,4,5,6,7],"note":"\#(String(repeating: "x", count: 200))"}"#
    let new = #"{"deep":[7,6,5,4,3,2,1],"note":"\#(String(repeating: "x", count: 200))"}"#
    #expect(
      patch(old, new) == #"[{"op":"replace","path":"/deep","value":[7,6,5,4,3,2,1]}]"#)
  }

  @Test func `names are escaped for the pointer and for the string`() throws {
    let filler = String(repeating: "x", count: 200)
    let old: JSONValue = [
      "a/b": 1, "m~n": 1, "q\"\\": 1, "": 1, "é\u{1}": 1, "filler": .string(filler),
    ]
    let new: JSONValue = [
      "a/b": 2, "m~n": 2, "q\"\\": 2, "": 2, "é\u{1}": 2, "filler": .string(filler),
    ]
    let text = JSONDifference.patch(from: old.bytes, to: new.bytes)
    let patch = try JSONPatch(JSONDocument(parsing: text).root)
    #expect(
      patch.operations
        == ["a/b", "m~n", "q\"\\", "", "é\u{1}"].map { .replace(JSONPointer(tokens: [$0]), 2) })
    #expect(try patch.applied(to: old) == new)
  }

  @Test func `an object with a duplicate name is replaced as a whole`() throws {
    let cases = [
      (#"{"a":1,"a":2}"#, #"{"a":1,"a":3}"#), (#"{"a":1}"#, #"{"b":1,"a":2,"a":3}"#),
      (#"{"a":1,"a":2}"#, #"{"b":2}"#),
    ]
    for (old, new) in cases {
      #expect(patch(old, new) == #"[{"op":"replace","path":"","value":\#(new)}]"#)
    }
  }

  @Test func `values nested deeper than the parser's limit are replaced`() {
    let deep = String(repeating: "[", count: 600) + String(repeating: "]", count: 600)
    #expect(patch("1", deep) == #"[{"op":"replace","path":"","value":\#(deep)}]"#)
  }

  @Test func `long unrelated lists are compared in bounded time`() throws {
    let old = JSONValue.array((0..<20_000).map { JSONValue.number(JSONNumber($0)) })
    let new = JSONValue.array((0..<20_000).map { JSONValue.number(JSONNumber(-1 - $0)) })
    let text = JSONDifference.patch(from: old.bytes, to: new.bytes)
    #expect(text.count <= new.bytes.count + 64)
    #expect(try JSONPatch(JSONDocument(parsing: text).root).applied(to: old) == new)
  }

  @Test(arguments: 0..<8)
  func `applying the difference produces the new value for random values`(seed: UInt64) throws {
    var generator = JSONGenerator(seed: seed)
    for _ in 0..<500 {
      let old = generator.value(depth: 4)
      let new = Bool.random(using: &generator) ? generator.changed(old) : generator.value(depth: 4)
      let text = JSONDifference.patch(from: old.bytes, to: new.bytes)
      let patch = try JSONPatch(JSONDocument(parsing: text).root)
      #expect(try patch.applied(to: old).isEquivalent(to: new))
      #expect(text.count <= new.bytes.count + 37, "A patch is no longer than the new value.")
    }
  }

  @Test func `the difference of a value from itself is empty`() {
    var generator = JSONGenerator(seed: 42)
    for _ in 0..<200 {
      let value = generator.value(depth: 4).bytes
      #expect(JSONDifference.patch(from: value, to: value) == Array("[]".utf8))
    }
  }
}
