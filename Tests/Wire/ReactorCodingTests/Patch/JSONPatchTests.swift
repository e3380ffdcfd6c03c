import Foundation
import PublicTestData
import ReactorCoding
import Testing

/// The cases of json-patch-tests, from the source archive of `jsonpatch`.
@Suite(.enabled(if: PublicTestData.isInstalled, "\(PublicTestData.isMissing)"))
struct PublicJSONPatchTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let document: JSONValue
    let patch: JSONValue
    let expected: JSONValue?
    let fails: Bool
    let testDescription: String
  }

  static let cases: [Case] = {
    let file = PublicTestData.file("tests.js", of: "jsonpatch")
    let text = (try? Data(contentsOf: file)) ?? Data()
    let cases = try? JSONDocument(parsing: Array(text)).root.elements
    return (cases ?? []).compactMap { element in
      guard let document = element["doc"], let patch = element["patch"],
        element["disabled"]?.boolean != true
      else { return nil }
      return Case(
        document: JSONValue(document), patch: JSONValue(patch),
        expected: element["expected"].map { JSONValue($0) }, fails: element["error"] != nil,
        testDescription: (element["comment"] ?? element["error"])?.string ?? "")
    }
  }()

  @Test func `the suite is complete`() {
    #expect(Self.cases.count > 70)
  }

  @Test(arguments: cases)
  func `a case of json-patch-tests holds`(example: Case) throws {
    // Decode from text again, as a client would.
    let read = { try JSONPatch(JSONDocument(parsing: example.patch.bytes).root) }
    guard !example.fails else {
      #expect(throws: JSONPatchError.self) { try read().applied(to: example.document) }
      return
    }
    let result = try read().applied(to: example.document)
    if let expected = example.expected { #expect(result.isEquivalent(to: expected)) }
  }
}

/// Applying patches (RFC 6902).
struct JSONPatchTests {
  @Test(
    arguments: [
      (#"{}"#, nil), (#"[3]"#, 0), (#"[{"op":"test","path":"","value":0},{"op":"x"}]"#, 1),
      (#"[{"op":"add","path":"a","value":1}]"#, 0), (#"[{"op":"add","path":"/a"}]"#, 0),
      (#"[{"op":"move","path":"/a"}]"#, 0), (#"[{"op":"remove"}]"#, 0),
    ] as [(String, Int?)])
  func `an error reports the index of its operation`(text: String, operation: Int?) throws {
    let root = try JSONDocument(parsing: Array(text.utf8)).root
    let error = #expect(throws: JSONPatchError.self) { try JSONPatch(root) }
    #expect(error?.operation == operation)
  }

  @Test(
    arguments: [
      #"{"op":"remove","path":""}"#, #"{"op":"remove","path":"/a/b"}"#,
      #"{"op":"replace","path":"/c","value":1}"#, #"{"op":"add","path":"/c/d","value":1}"#,
      #"{"op":"add","path":"/a/01","value":1}"#, #"{"op":"add","path":"/a/4","value":1}"#,
      #"{"op":"remove","path":"/a/-"}"#, #"{"op":"move","from":"/a","path":"/a/0"}"#,
      #"{"op":"copy","from":"/x","path":"/y"}"#, #"{"op":"test","path":"/a/0","value":"1"}"#,
    ])
  func `a failed operation changes nothing`(operation: String) throws {
    let value: JSONValue = ["a": [1, 2, 3], "b": nil]
    let patch = try JSONPatch(JSONDocument(parsing: Array("[\(operation)]".utf8)).root)
    #expect(throws: JSONPatchError.self) { try patch.applied(to: value) }
  }

  @Test func `numbers and objects are compared by value`() {
    let one: JSONValue = ["a": 1, "b": [2, ["c": nil]]]
    let other: JSONValue = ["b": [2, ["c": nil]], "a": 1]
    #expect(one.isEquivalent(to: other))
    #expect(one != other)
    #expect(!one.isEquivalent(to: ["a": 1]))
    #expect(!one.isEquivalent(to: ["a": 1, "c": 2]))
    #expect(!JSONValue.array([1]).isEquivalent(to: [1, 1]))
    #expect(!JSONValue.null.isEquivalent(to: false))
  }
}
