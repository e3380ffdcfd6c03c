import Foundation
import ReactorCoding
import Testing

/// Interoperability with Foundation's coders, where the forms are the same.
struct FoundationComparisonTests {
  struct Plain: Codable, Equatable {
    var everything = Numbers()
    var text = "a \"quoted\" \\ text\n\u{1} é 😀 \u{2028} /"
    var user: User? = User(name: "Ada")
    var absent: User?
    var list = [[1], [], [2, 3]]
    var dictionary = ["a": ["x": 1.5], "b": [:]]
    var byNumber = [3: true, 20: false]
    var kinds = [Kind.text, .other]
    var level = Level.low
    var date = Date(timeIntervalSinceReferenceDate: 1234)
    var identifier = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
    var data = [Data([1, 2, 3])]
    var set: Set<Int> = [7]
    var range = 1..<5

    struct Numbers: Codable, Equatable {
      var values: [Double] = [0, 1, -1, 0.1, 1e-7, 1e300, 123456.789, 1 / 3]
      var floats: [Float] = [0.1, 1e10, -2.5]
      var integers: [Int64] = [.min, .max, 0]
      var unsigned: [UInt64] = [.max]
    }
  }

  @Test func `both decoders read the same value from either encoder`() throws {
    let value = Plain()
    let ours = try JSONCoder.encode(value)
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    #expect(try decoder.decode(Plain.self, from: Data(ours)) == value)
    #expect(try JSONCoder.decode(Plain.self, from: ours) == value)
  }

  @Test func `enums encoded by Foundation are decoded`() throws {
    for (value, _) in CaseShapeTests.shortest {
      // Foundation omits an absent payload, which is decoded only in the labelled form.
      if value == .maybe(nil) || value == .maybeAction(nil) { continue }
      let theirs = try JSONEncoder().encode(value)
      #expect(try JSONCoder.decode(Shape.self, from: Array(theirs), strictness: .strict) == value)
    }
  }

  @Test(arguments: [
    "[1,2,3]", #"{"a":"b"}"#, #""\u0041\ud83d\ude00""#, "1e2", "-0.5", "[]", "[null,true]",
  ])
  func `texts decode to the same values as with Foundation`(_ text: String) throws {
    let theirs = try JSONSerialization.jsonObject(
      with: Data(text.utf8), options: .fragmentsAllowed)
    let ours = JSONValue(try JSONDocument(parsing: Array(text.utf8)).root)
    let again = try JSONSerialization.jsonObject(
      with: Data(ours.bytes), options: .fragmentsAllowed)
    #expect("\(theirs)" == "\(again)")
  }

  @Test func `JSON values are coded by Foundation's coders too`() throws {
    let value: JSONValue = ["a": [1, nil, true, "x"], "b": ["c": [:]]]
    let data = try JSONEncoder().encode(value)
    let again = try JSONDecoder().decode(JSONValue.self, from: data)
    #expect(again["a"] == value["a"])
    #expect(again["b"] == value["b"])
  }
}
