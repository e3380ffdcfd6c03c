import ReactorCoding
import Testing

struct FirstDifferenceTests {
  private func first(_ left: String, _ right: String) -> String? {
    JSONDifference.first(between: Array(left.utf8), and: Array(right.utf8)).map { place in
      func text(_ bytes: [UInt8]?) -> String {
        bytes.map { String(decoding: $0, as: UTF8.self) } ?? "nothing"
      }
      return "\(place.pointer) \(text(place.first)) \(text(place.second))"
    }
  }

  @Test func `the place is the innermost value, in the order of the first text`() {
    #expect(first(#"{"a":1}"#, #"{"a":1}"#) == nil)
    #expect(first(#"{"a":1,"b":[1,{"c":2}]}"#, #"{"a":1,"b":[1,{"c":3}]}"#) == "/b/1/c 2 3")
    #expect(first(#"{"a":1,"b":2}"#, #"{"b":3,"a":4}"#) == "/a 1 4")
    #expect(first(#"{"a":1}"#, "{}") == "/a 1 nothing")
    #expect(first("{}", #"{"a~/b":1}"#) == "/a~0~1b nothing 1")
    #expect(first("[1,2]", "[1]") == "/1 2 nothing")
    #expect(first("[1]", "[1,[]]") == "/1 nothing []")
    #expect(first("[1]", "2") == " [1] 2")
    #expect(first(#"{"a":1,"b":2}"#, #"{"b":2,"a":1}"#) == #" {"a":1,"b":2} {"b":2,"a":1}"#)
    #expect(first("[1", "[2") == " [1 [2")
  }
}
