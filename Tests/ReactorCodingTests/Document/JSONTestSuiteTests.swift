import PublicTestData
import ReactorCoding
import Testing

/// The parser against the cases of JSONTestSuite.
@Suite(.enabled(if: PublicTestData.isInstalled, "\(PublicTestData.isMissing)"))
struct JSONTestSuiteTests {
  @Test func `the cases are there`() {
    #expect(PublicTestData.jsonTestSuite("y_").count >= 95)
    #expect(PublicTestData.jsonTestSuite("n_").count >= 185)
    #expect(PublicTestData.jsonTestSuite("i_").count >= 35)
  }

  @Test(arguments: PublicTestData.jsonTestSuite("y_"))
  func `what is JSON is accepted`(_ test: PublicTestData.Case) throws {
    let document = try JSONDocument(parsing: try test.bytes)
    // What was accepted can be read to its last value, and written and read again.
    let value = try JSONCoder.decode(JSONValue.self, from: document.root)
    let written = try JSONCoder.encode(value)
    let again = try JSONDocument(parsing: written)
    #expect(try JSONCoder.decode(JSONValue.self, from: again.root) == value)
  }

  @Test(arguments: PublicTestData.jsonTestSuite("n_"))
  func `what is not JSON is refused, with the place`(_ test: PublicTestData.Case) throws {
    let bytes = try test.bytes
    let error = #expect(throws: JSONSyntaxError.self) { try JSONDocument(parsing: bytes) }
    #expect((0...bytes.count).contains(error?.offset ?? -1))
  }

  @Test(arguments: PublicTestData.jsonTestSuite("i_"))
  func `what a parser may decide is decided, either way`(_ test: PublicTestData.Case) throws {
    let bytes = try test.bytes
    do {
      let document = try JSONDocument(parsing: bytes)
      _ = try JSONCoder.decode(JSONValue.self, from: document.root)
    } catch let error as JSONSyntaxError {
      #expect((0...bytes.count).contains(error.offset))
    }
  }
}
