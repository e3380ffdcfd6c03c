internal import Testing

@testable internal import ReactorTransport

struct HTTPFieldsTests {
  private func texts(_ fields: HTTPFields) -> [String] {
    fields.map { "\($0.name): \($0.value)" }
  }

  @Test func `fields keep their order, and a name may occur twice`() {
    var fields: HTTPFields = ["Vary": "Accept", "ETag": "\"a-1\"", "Vary": "Origin"]
    fields.append("Allow", "GET")
    #expect(texts(fields) == ["Vary: Accept", "ETag: \"a-1\"", "Vary: Origin", "Allow: GET"])
    #expect(fields["Vary"] == "Accept")
    #expect(fields["allow"] == nil)
    #expect(texts(HTTPFields()).isEmpty)
  }

  @Test func `concatenation changes neither operand`() {
    let first: HTTPFields = ["A": "1"]
    let second: HTTPFields = ["B": "2"]
    #expect(texts(first + second) == ["A: 1", "B: 2"])
    #expect(texts(HTTPFields() + second + [:]) == ["B: 2"])
    #expect(first + second != second + first)
    #expect(texts(first) == ["A: 1"] && texts(second) == ["B: 2"])
  }

  @Test(arguments: ["a\r\nX: b", "a\nb", "a\u{0}b", "\u{7F}", ""])
  func `an empty value and a value with a control character are dropped`(value: String) {
    var fields: HTTPFields = ["Before": "1"]
    fields.append("X", value)
    fields.append("After", "2")
    #expect(texts(fields) == ["Before: 1", "After: 2"])
  }

  @Test(arguments: ["a\tb", "gr\u{FC}n", String(repeating: "a", count: 5000)])
  func `any other value is stored unchanged`(value: String) {
    var fields = HTTPFields()
    fields.append("X", value)
    #expect(fields["X"] == value)
  }

  @Test func `replacing removes all fields with the name`() {
    var fields: HTTPFields = ["ETag": "\"a-1\"", "Vary": "Accept", "ETag": "\"a-2\""]
    fields.replace("ETag", with: "\"a-1+gzip\"")
    #expect(texts(fields) == ["Vary: Accept", "ETag: \"a-1+gzip\""])
  }

  @Test func `a value can be written in place`() {
    var fields: HTTPFields = ["A": "1"]
    fields.append("B", byteCount: 2) { bytes in
      bytes[0] = 0x32
      bytes[1] = 0x33
    }
    #expect(texts(fields) == ["A: 1", "B: 23"])
  }
}
