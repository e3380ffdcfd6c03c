import PublicTestData
import Testing

/// The cases of JSONTestSuite as bodies of requests.
@Suite(.blocking, .enabled(if: PublicTestData.isInstalled, "\(PublicTestData.isMissing)"))
struct JSONTestSuiteTests {
  let session: SessionClient

  init() throws {
    session = try ReactordProcess.shared.get().session(of: "counter")
  }

  private func post(_ test: PublicTestData.Case) throws -> HTTPResponse {
    try session.client.send(
      "POST", session.path + "/actions", ["Content-Type": "application/json"],
      body: try test.bytes)
  }

  @Test(arguments: PublicTestData.jsonTestSuite("y_"))
  func `valid JSON that is no action is 422, or an empty array`(_ test: PublicTestData.Case) throws
  {
    let response = try post(test)
    if response.status != 200 { try expectProblem(response, 422, "invalid-action") }
    #expect(try session.state().text == #"{"value":0}"#)
  }

  @Test(arguments: PublicTestData.jsonTestSuite("n_"))
  func `invalid JSON is 400 malformed-json with an offset`(
    _ test: PublicTestData.Case
  ) throws {
    let problem = try expectProblem(try post(test), 400, "malformed-json")
    #expect((0...(try test.bytes.count)).contains(problem["offset"]?.int ?? -1))
  }

  @Test(arguments: PublicTestData.jsonTestSuite("i_"))
  func `JSON that is implementation-defined is 400 or 422`(_ test: PublicTestData.Case) throws {
    let response = try post(test)
    if response.status == 400 {
      try expectProblem(response, 400, "malformed-json")
    } else {
      try expectProblem(response, 422, "invalid-action")
    }
  }
}
