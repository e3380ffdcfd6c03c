import PublicTestData
import ReactorCoding
import Testing

/// Runs the parser over JSONTestSuite.
@Suite(.enabled(if: PublicTestData.isInstalled, "\(PublicTestData.isMissing)"))
struct JSONTestSuiteTests {
  @Test func `the suite is complete`() {
    #expect(PublicTestData.jsonTestSuite("y_").count >= 95)
    #expect(PublicTestData.jsonTestSuite("n_").count >= 185)
    #expect(PublicTestData.jsonTestSuite("i_").count >= 35)
  }

  @Test(arguments: PublicTestData.jsonTestSuite("y_"))
  func `valid JSON is accepted`(_ test: PublicTestData.Case) throws {
    let document = try JSONDocument(parsing: try test.bytes)
    // An accepted text can be read completely and round-trips.
    let value = try JSONCoder.decode(JSONValue.self, from: document.root)
    let written = try JSONCoder.encode(value)
    let again = try JSONDocument(parsing: written)
    #expect(try JSONCoder.decode(JSONValue.self, from: again.root) == value)
  }

  @Test(arguments: PublicTestData.jsonTestSuite("n_"))
  func `invalid JSON is rejected with an offset`(_ test: PublicTestData.Case) throws {
    let bytes = try test.bytes
    let error = #expect(throws: JSONSyntaxError.self) { try JSONDocument(parsing: bytes) }
    #expect((0...bytes.count).contains(error?.offset ?? -1))
  }

  @Test(arguments: PublicTestData.jsonTestSuite("i_"))
  func `implementation-defined cases are accepted or rejected without a trap`(
    _ test: PublicTestData.Case
  ) throws {
    let bytes = try test.bytes
    do {
      let document = try JSONDocument(parsing: bytes)
      _ = try JSONCoder.decode(JSONValue.self, from: document.root)
    } catch let error as JSONSyntaxError {
      #expect((0...bytes.count).contains(error.offset))
    }
  }
}
