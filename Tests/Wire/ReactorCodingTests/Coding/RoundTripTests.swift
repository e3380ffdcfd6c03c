import ReactorCoding
import Testing

struct RoundTripTests {
  @Test func `every form round-trips`() throws {
    let value = Everything()
    #expect(try decoded(Everything.self, try encoded(value)) == value)
  }

  @Test func `recursive types round-trip`() throws {
    let tree = Tree(
      value: 1, children: [Tree(value: 2, children: []), Tree(value: 3, children: [])])
    #expect(try decoded(Tree.self, try encoded(tree)) == tree)
    let sum = Expression.sum(.number(1), .sum(.number(2), .number(3)))
    let text = #"{"sum":{"_0":{"number":1},"_1":{"sum":{"_0":{"number":2},"_1":{"number":3}}}}}"#
    #expect(try encoded(sum) == text)
    #expect(try decoded(Expression.self, text) == sum)
  }

  @Test func `a tree as deep as the limit round-trips`() throws {
    var tree = Tree(value: 0, children: [])
    for value in 1..<200 { tree = Tree(value: value, children: [tree]) }
    #expect(try decoded(Tree.self, try encoded(tree)) == tree)
  }

  @Test func `scalars are valid top-level values`() throws {
    #expect(try decoded(Int?.self, "null") == nil)
    #expect(try encoded(Int?.none) == "null")
    #expect(try decoded([Int?].self, "[1,null]") == [1, nil])
    #expect(try decoded(Bool.self, "true"))
    #expect(try decoded(Kind.self, #""image""#) == .image)
    #expect(try decoded([Level: Int].self, #"[1,2,10,3]"#) == [.low: 2, .high: 3])
  }

  @Test func `an object with many members is decoded by name`() throws {
    var members = (0..<5000).map { "\"k\($0)\":\($0)" }
    members.append("\"k7\":-7")
    let text = "{" + members.joined(separator: ",") + ",\"name\":\"Ada\"}"
    #expect(try decoded(User.self, text) == User(name: "Ada"))
    let numbers = "{" + members.joined(separator: ",") + "}"
    let dictionary = try decoded([String: Int].self, numbers)
    #expect(dictionary.count == 5000)
    #expect(dictionary["k4999"] == 4999)
    #expect(dictionary["k7"] == -7)
  }
}
