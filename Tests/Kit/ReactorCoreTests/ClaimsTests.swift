import ReactorCore
import Testing

struct ClaimsTests {
  @Test func `names and texts are equal if their bytes are equal, as for lookups`() {
    let (composed, decomposed) = ("\u{E9}", "e\u{301}")
    let pairs: [(Claims.Value, Claims.Value)] = [
      (.string(composed), .string(decomposed)),
      (.array([.string(composed)]), .array([.string(decomposed)])),
      (.object(Claims([(composed, .null)])), .object(Claims([(decomposed, .null)]))),
    ]
    for (left, right) in pairs {
      #expect(left == left)
      #expect(left != right)
      #expect(Set([left, right, left]).count == 2)
      #expect(Claims([("claim", left)]) != Claims([("claim", right)]))
      let principals = [left, right].map { Principal(id: "ada", claims: Claims([("claim", $0)])) }
      #expect(principals[0] != principals[1])
    }
    #expect(Principal(id: composed) != Principal(id: decomposed))
  }

  @Test func `values are equal if their types and contents are`() {
    let values: [Claims.Value] = [
      .null, .boolean(true), .boolean(false), .number(0), .number(1), .string(""), .string("1"),
      .array([]), .array([.null]), .object(Claims()), .object(Claims([("a", .null)])),
    ]
    for (index, value) in values.enumerated() {
      #expect(values.indices.filter { values[$0] == value } == [index])
    }
    #expect(Set(values).count == values.count)
  }
}
