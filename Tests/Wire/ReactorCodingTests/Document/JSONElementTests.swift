import ReactorCoding
import Testing

struct JSONElementTests {
  private let root: JSONElement

  init() throws {
    let text = #" {"a": [1, {"b~/c": "x"}, null], "n": 1.50, "t": true, "n": 2, "": {}} "#
    root = try JSONDocument(parsing: Array(text.utf8)).root
  }

  @Test func `members keep their order and their text`() throws {
    let members = try #require(root.members)
    #expect(members.map(\.name) == ["a", "n", "t", "n", ""])
    #expect(members[1].value.number?.text == "1.50")
    #expect(String(decoding: members[0].value.bytes, as: UTF8.self) == #"[1, {"b~/c": "x"}, null]"#)
  }

  @Test func `of several members with one name, the last one is read`() throws {
    #expect(root["n"]?.number?.integer(as: Int.self) == 2)
    #expect(root["missing"] == nil)
  }

  @Test func `elements are found by position`() throws {
    let array = try #require(root["a"])
    #expect(array.elements?.map(\.kind) == [.number, .object, .null])
    #expect(array[2]?.isNull == true)
    #expect(array[3] == nil)
    #expect(array[-1] == nil)
    #expect(root[0] == nil)
    #expect(array["a"] == nil)
  }

  @Test func `an element reports its pointer and offset`() throws {
    let element = try #require(root["a"]?[1]?["b~/c"])
    #expect(element.pointer.description == "/a/1/b~0~1c")
    #expect(element.string == "x")
    #expect(root.offset == 1)
    #expect(root[""]?.pointer.description == "/")
    #expect(root.pointer.description == "")
  }

  @Test func `a value copied from a document writes the same members`() throws {
    let text = String(decoding: JSONValue(root).bytes, as: UTF8.self)
    #expect(text == #"{"a":[1,{"b~/c":"x"},null],"n":1.50,"t":true,"n":2,"":{}}"#)
  }

  @Test func `accessors of other kinds return nil`() {
    #expect(root.string == nil)
    #expect(root.number == nil)
    #expect(root.boolean == nil)
    #expect(root.elements == nil)
    #expect(root["t"]?.boolean == true)
    #expect(root["t"]?.members == nil)
  }
}
