import ReactorCoding
import Testing

@testable import ReactorClient

struct TypeDifferenceTests {
  private struct One: Codable { var value: Int, name: String?, items: [Item] }
  private struct Item: Codable { var id: Int }
  private struct Later: Codable { var value: Double, items: [Item] }
  private struct Renamed: Codable { var count: Int }
  private struct Retyped: Codable { var items: [Wrong] }
  private struct Wrong: Codable { var id: String }
  private enum Few: Codable { case a, b(Int) }
  private enum Many: Codable { case a, b(Int), c }

  private func difference<Reader: Codable, Writer: Codable>(
    _ reader: Reader.Type, reads writer: Writer.Type
  ) -> String? {
    TypeDifference.find(
      reader: JSONSchema.derive(reader), writer: JSONSchema.derive(writer), "State")
  }

  @Test func `equal types, fewer members and wider numbers are compatible`() {
    #expect(difference(One.self, reads: One.self) == nil)
    #expect(difference(Later.self, reads: One.self) == nil)
    #expect(difference(Many.self, reads: Few.self) == nil)
  }

  @Test func `a server that describes no types is compatible`() {
    let schema = JSONSchema.derive(One.self)
    #expect(TypeDifference.find(reader: schema, writer: JSONElement?.none, "State") == nil)
  }

  @Test func `a difference names the place`() {
    #expect(difference(Renamed.self, reads: One.self) == "State/count is missing")
    #expect(
      difference(Retyped.self, reads: One.self) == "State/items/-/id is integer, not string")
    #expect(difference(Few.self, reads: Many.self) == #"State has a case that is not known: "c""#)
  }
}
