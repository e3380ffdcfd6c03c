import ReactorCoding
import Testing

/// Texts whose comparison as `String` would take quadratic time or treat different bytes as equal.
struct HostileTextTests {
  /// A letter with combining marks in the order that normalisation has to reverse.
  private static func marked(_ count: Int) -> String {
    "a" + String(repeating: "\u{301}\u{316}", count: count / 2)
  }

  /// Keys that record the names passed to their initializer.
  private struct Probed: Decodable {
    var names: [String]

    enum Keys: String, CodingKey {
      case known = "né"
      case other

      @TaskLocal static var names = Names()

      // Proof: each test has its own object and decodes on one thread.
      final class Names: @unchecked Sendable {
        var all: [String] = []
      }

      init?(stringValue: String) {
        Self.names.all.append(stringValue)
        self.init(rawValue: stringValue)
      }
    }

    init(from decoder: any Decoder) throws {
      names = try decoder.container(keyedBy: Keys.self).allKeys.map(\.stringValue)
    }
  }

  @Test func `a name that is not ASCII reaches the keys only if its bytes are known`() throws {
    let names = Probed.Keys.Names()
    let text = #"{"né":1,"other":2,"ne\u0301":3,"\#(Self.marked(2_000))":4,"é":5}"#
    let found = try Probed.Keys.$names.withValue(names) {
      try decoded(Probed.self, text).names
    }
    #expect(found == ["né", "other"])
    #expect(found.first?.unicodeScalars.count == 2)
    #expect(!names.all.contains { $0.utf8.count > 10 })
  }

  @Test(arguments: [0, 1])
  func `an unknown case with combining marks is reported`(_ form: Int) throws {
    let name = Self.marked(20_000)
    let text = form == 0 ? #""\#(name)""# : #"{"\#(name)":1}"#
    let failure = try #require(try failure(CounterAction.self, text))
    #expect(failure.expected == ["increase", "decrease", "add"])
    #expect(failure.detail.utf8.count < 400)
  }

  @Test(
    arguments: [
      (#"{"text":"@"}"#, "/text"), (#"{"byName":{"@":1}}"#, "/byName"),
      (#"{"any":["@"]}"#, "/any/0"),
      (#"{"any":{"@":1}}"#, "/any"), (#"{"kind":"@"}"#, "/kind"),
    ])
  func `a client's text has at most 30 combining marks in a row`(
    _ template: String, _ pointer: String
  ) throws {
    struct Payload: Codable {
      var text: String?
      var byName: [String: Int]?
      var any: JSONValue?
      var kind: Kind?
    }
    let hostile = template.replacing("@", with: Self.marked(31 + 1))
    let failure = try #require(try failure(Payload.self, hostile, .strict))
    #expect(failure.detail.contains("combining marks"))
    #expect(failure.pointer.hasPrefix(pointer))
    if !template.contains("kind") {
      let usual = template.replacing("@", with: Self.marked(30))
      #expect(throws: Never.self) { try decoded(Payload.self, usual, .strict) }
      #expect(throws: Never.self) { try decoded(Payload.self, hostile, .lenient) }
    }
  }

  @Test func `marks that a starter decomposes into count, too`() throws {
    let text = "\"" + String(repeating: "\u{F73}", count: 40) + "\""
    #expect(try failure(String.self, text, .strict) != nil)
    let letters = "\"" + String(repeating: "가é한", count: 40) + "\""
    #expect(try failure(String.self, letters, .strict) == nil)
  }

  @Test func `texts are equal if their bytes are`() throws {
    let (composed, decomposed) = ("\u{E9}", "e\u{301}")
    #expect(composed == decomposed)
    #expect(JSONValue.string(composed) != .string(decomposed))
    let both: JSONValue = .object([.init(composed, 1), .init(decomposed, 2)])
    #expect(both[composed] == 1)
    #expect(both[decomposed] == 2)
    #expect(both.isEquivalent(to: .object([.init(decomposed, 2), .init(composed, 1)])))
    #expect(JSONPointer(tokens: [composed]) != JSONPointer(tokens: [decomposed]))
    #expect(Set([JSONPointer(tokens: [composed]), JSONPointer(tokens: [decomposed])]).count == 2)
    let old = try JSONDocument(parsing: Array(#"{"\#(composed)":1,"x":0}"#.utf8))
    let new = try JSONDocument(parsing: Array(#"{"x":0,"\#(decomposed)":1}"#.utf8))
    let patch = try JSONPatch(JSONDocument(parsing: JSONDifference.patch(from: old, to: new)).root)
    let patched = try patch.applied(to: JSONValue(old.root))
    #expect(patched.isEquivalent(to: JSONValue(new.root)))
  }

  @Test func `a payload with a spliced member named like the label round-trips`() throws {
    enum Carrier: Codable, Equatable {
      case any(JSONValue)
      case indirectly([String: JSONValue])
    }
    for value in [Carrier.any(["_0": 1]), .any(["a": ["_0": 1]]), .indirectly(["_0": ["_0": 2]])] {
      #expect(try decoded(Carrier.self, encoded(value), .strict) == value)
    }
    #expect(try encoded(Carrier.any(["_0": 1])) == #"{"any":{"_0":{"_0":1}}}"#)
  }
}
