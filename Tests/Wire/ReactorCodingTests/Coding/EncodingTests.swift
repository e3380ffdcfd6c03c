import ReactorCoding
import Testing

struct EncodingTests {
  @Test(arguments: [
    (0.0, "0"), (-0.0, "-0"), (1.0, "1"), (-1.0, "-1"), (1.5, "1.5"), (0.1, "0.1"),
    (1e15, "1000000000000000"),
    (9007199254740991, "9007199254740991"), (9007199254740992, "9007199254740992.0"),
    (1e16, "1e+16"), (1e-7, "1e-07"), (.leastNonzeroMagnitude, "5e-324"),
    (1.7976931348623157e308, "1.7976931348623157e+308"),
  ])
  func `numbers are written in their shortest form and round-trip`(_ value: Double, _ text: String)
    throws
  {
    #expect(try encoded(value) == text)
    #expect(try decoded(Double.self, text).bitPattern == value.bitPattern)
  }

  @Test(
    arguments: [0.1, 16777215, 16777216, 3.4028235e38, .leastNonzeroMagnitude, -0.0] as [Float])
  func `single precision round-trips`(_ value: Float) throws {
    #expect(try decoded(Float.self, try encoded(value)).bitPattern == value.bitPattern)
  }

  @Test(arguments: [0, 9, 10, -1, -10, 1234567890, .max, .min] as [Int])
  func `integers are written with all digits`(_ value: Int) throws {
    #expect(try encoded(value) == String(value))
    #expect(try encoded(Int128(value) * 10) == String(Int128(value) * 10))
  }

  @Test(arguments: [
    ("", #""""#), ("a\"b\\c/", #""a\"b\\c/""#), ("\u{0}\u{1F}\u{7F}", "\"\\u0000\\u001f\u{7F}\""),
    ("\u{8}\u{C}\n\r\t", #""\b\f\n\r\t""#), ("é€😀\u{2028}", "\"é€😀\u{2028}\""),
    (
      "a long text without anything special in it", #""a long text without anything special in it""#
    ),
  ])
  func `only mandatory characters are escaped`(_ value: String, _ text: String) throws {
    #expect(try encoded(value) == text)
    #expect(try decoded(String.self, text) == value)
  }

  @Test(arguments: 0...20)
  func `every character is escaped or not, at each position`(length: Int) throws {
    let others: [Unicode.Scalar] = ["!", "#", "[", "]", "\u{7F}", "\u{80}", "\u{E9}", "\u{10FFFF}"]
    let scalars = others + ["\"", "\\"] + (0...0x20).map { Unicode.Scalar(UInt8($0)) }
    for position in 0..<length {
      for scalar in scalars {
        var text = Array(repeating: Unicode.Scalar("a"), count: length)
        text[position] = scalar
        var value = String.UnicodeScalarView()
        value.append(contentsOf: text)
        let result = try encoded(String(value))
        #expect(try decoded(String.self, result) == String(value))
        let isEscaped = scalar.value < 0x20 || scalar == "\"" || scalar == "\\"
        #expect(result.utf8.contains(UInt8(ascii: "\\")) == isEscaped)
      }
    }
  }

  @Test(arguments: [Double.nan, .infinity, -.infinity])
  func `NaN and infinity are errors with a coding path`(_ value: Double) throws {
    struct Reading: Encodable {
      var name = "a"
      var values: [String: [Double]]
    }
    let error = #expect(throws: EncodingError.self) {
      try JSONCoder.encode(Reading(values: ["x": [1, value]]))
    }
    guard case .invalidValue(_, let context)? = error else { return }
    #expect(context.codingPath.map(\.stringValue) == ["values", "x", "1"])
    #expect(context.debugDescription.contains("\"/values/x/1\""))
    #expect(throws: EncodingError.self) { try JSONCoder.encode([Float(value)]) }
  }

  @Test func `absent values are null, members keep their order`() throws {
    struct State: Encodable {
      var zebra: Int? = nil
      var apple: String? = nil
      var user: User? = nil
      var flag: Bool? = true
      var ratio: Double? = nil
    }
    #expect(
      try encoded(State()) == #"{"zebra":null,"apple":null,"user":null,"flag":true,"ratio":null}"#)
  }

  @Test func `dictionaries are sorted by the bytes of their keys`() throws {
    let names = ["b", "a", "é", "z", "aa", "", "\"", "A", "\n"]
    let value = Dictionary(uniqueKeysWithValues: names.map { ($0, [$0: 1]) })
    let sorted = names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    let members = try sorted.map { "\(try encoded($0)):{\(try encoded($0)):1}" }
    #expect(try encoded(value) == "{\(members.joined(separator: ","))}")
    #expect(try encoded([2: "b", 1: "a"]) == #"{"1":"a","2":"b"}"#)
    #expect(try encoded([String: Int]()) == "{}")
  }

  @Test func `a dictionary with a thousand members encodes to the same bytes each time`() throws {
    let keys = (0..<1000).map(String.init)
    let one = Dictionary(uniqueKeysWithValues: keys.map { ($0, 1) })
    let other = Dictionary(uniqueKeysWithValues: keys.reversed().map { ($0, 1) })
    #expect(try JSONCoder.encode(one) == JSONCoder.encode(other))
    #expect(try decoded([String: Int].self, try encoded(one)) == one)
  }

  @Test func `subclasses encode beside and inside their superclass`() throws {
    class Animal: Encodable {
      var name = "Rex"
    }
    final class Beside: Animal {
      enum CodingKeys: CodingKey { case legs }
      override func encode(to encoder: any Encoder) throws {
        try super.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(4, forKey: .legs)
      }
    }
    final class Inside: Animal {
      enum CodingKeys: CodingKey { case legs }
      override func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try super.encode(to: container.superEncoder())
        try container.encode(4, forKey: .legs)
      }
    }
    #expect(try encoded([Beside()]) == #"[{"name":"Rex","legs":4}]"#)
    #expect(try encoded([Inside()]) == #"[{"super":{"name":"Rex"},"legs":4}]"#)
  }

  @Test func `writing to a closed container is an error`() throws {
    struct Tangled: Encodable {
      func encode(to encoder: any Encoder) throws {
        var outer = encoder.unkeyedContainer()
        var first = outer.nestedUnkeyedContainer()
        var second = outer.nestedUnkeyedContainer()
        try second.encode(2)
        try first.encode(1)
      }
    }
    struct Twice: Encodable {
      func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(1)
        try container.encode(2)
      }
    }
    struct Nested: Encodable {
      func encode(to encoder: any Encoder) throws {
        var outer = encoder.unkeyedContainer()
        var inner = outer.nestedUnkeyedContainer()
        try inner.encode(1)
        var deepest = inner.nestedUnkeyedContainer()
        try deepest.encode(2)
        try inner.encode(3)
        try outer.encode(4)
      }
    }
    #expect(throws: EncodingError.self) { try JSONCoder.encode(Tangled()) }
    #expect(throws: EncodingError.self) { try JSONCoder.encode([Twice()]) }
    #expect(try encoded(Nested()) == "[[1,[2],3],4]")
  }

  @Test func `a value that encodes nothing is an empty object`() throws {
    struct Nothing: Encodable {
      func encode(to encoder: any Encoder) throws {}
    }
    #expect(try encoded([Nothing()]) == "[{}]")
    #expect(try encoded(Empty()) == "{}")
  }

  @Test func `encoded JSON is spliced on output and retained on input`() throws {
    struct Entry: Codable {
      var version: Int
      var action: EncodedJSON?
      var tree: JSONValue
    }
    let action = EncodedJSON(trusted: try JSONCoder.encode(CounterAction.add(5)))
    let entry = Entry(version: 1, action: action, tree: ["b": [1, nil], "a": true])
    let text = #"{"version":1,"action":{"add":5},"tree":{"b":[1,null],"a":true}}"#
    #expect(try encoded(entry) == text)
    let again = try decoded(Entry.self, text)
    #expect(again.action == action)
    #expect(again.tree == entry.tree)
    #expect(try decoded(Entry.self, #"{"version":1,"tree":1e2}"#).action == nil)
    #expect(throws: JSONSyntaxError.self) { try EncodedJSON(checking: Array("{".utf8)) }
    let mistakable = Generic.value(EncodedJSON(trusted: Array(#"{"\u005f0":1}"#.utf8)))
    #expect(try encoded(mistakable) == #"{"value":{"_0":{"\u005f0":1}}}"#)
  }

  // MARK: Depth

  /// An array that contains arrays up to a depth.
  private struct Arrays: Encodable {
    let depth: Int
    var innermost: EncodedJSON?

    func encode(to encoder: any Encoder) throws {
      var container = encoder.unkeyedContainer()
      if depth > 1 {
        try container.encode(Arrays(depth: depth - 1, innermost: innermost))
      } else if let innermost {
        try container.encode(innermost)
      }
    }
  }

  private func arrays(_ depth: Int) -> EncodedJSON {
    EncodedJSON(
      trusted: Array(
        (String(repeating: "[", count: depth) + String(repeating: "]", count: depth)).utf8))
  }

  private func value(_ depth: Int) -> JSONValue {
    (1..<depth).reduce(.array([])) { inner, _ in .array([inner]) }
  }

  /// An object with a depth whose only members are named `_0`.
  private func labelled(_ depth: Int) -> JSONValue {
    (1..<depth).reduce(["_0": 1]) { inner, _ in ["_0": inner] }
  }

  @Test func `a text of the maximum depth is encoded and decoded again`() throws {
    let texts = [
      try JSONCoder.encode(Arrays(depth: 512)), try JSONCoder.encode(value(512)),
      try JSONCoder.encode(Arrays(depth: 112, innermost: arrays(400))),
      try JSONCoder.encode(Generic.value(labelled(510))),
    ]
    for text in texts { _ = try JSONDocument(parsing: text) }
  }

  @Test func `a value that is nested deeper is an error, whatever its depth`() {
    let error = JSONDepthError(limit: 512)
    for depth in [513, 100_000] {
      #expect(throws: error) { try JSONCoder.encode(Arrays(depth: depth)) }
    }
    for depth in [513, 2000] {
      #expect(throws: error) { try JSONCoder.encode(self.value(depth)) }
    }
    #expect(throws: error) {
      try JSONCoder.encode(Arrays(depth: 113, innermost: self.arrays(400)))
    }
    #expect(throws: error) { try JSONCoder.encode(Generic.value(self.labelled(511))) }
    #expect(throws: JSONDepthError(limit: 3)) {
      try JSONCoder.Series(depthLimit: 3).encode(Arrays(depth: 4))
    }
  }

  @Test func `many nested values beside each other are not deep`() throws {
    let values = Array(repeating: Generic.value(labelled(3)), count: 600)
    let series = JSONCoder.Series(depthLimit: 6)
    _ = try series.encode(values)
    #expect(series.depth == 6)
  }

  @Test(arguments: [
    ("1", 0), ("[]", 1), (#"["[[\"[",{"a]":[]}]"#, 3), (#"["\\",[[]]]"#, 3), (#"[{},[1],{}]"#, 2),
  ])
  func `the depth of a text is that of its arrays and objects`(_ text: String, _ depth: Int) throws
  {
    let series = JSONCoder.Series()
    _ = try series.encode(EncodedJSON(trusted: Array(text.utf8)))
    let encoded = series.depth
    _ = try series.encode(JSONValue(JSONDocument(parsing: Array(text.utf8)).root))
    #expect([encoded, series.depth] == [depth, depth])
  }
}
