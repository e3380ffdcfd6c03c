import Testing

/// Checks that a response is a certain problem, and returns its members.
@discardableResult
func expectProblem(
  _ response: HTTPResponse, _ status: Int, _ type: String,
  sourceLocation: SourceLocation = #_sourceLocation
) throws -> JSON {
  #expect(response.status == status, sourceLocation: sourceLocation)
  #expect(response["Content-Type"] == "application/problem+json", sourceLocation: sourceLocation)
  #expect(response["X-Content-Type-Options"] == "nosniff", sourceLocation: sourceLocation)
  let problem = try response.json
  #expect(problem["type"] == .string("/problems/" + type), sourceLocation: sourceLocation)
  #expect(problem["status"]?.int == status, sourceLocation: sourceLocation)
  #expect(problem["title"]?.string?.isEmpty == false, sourceLocation: sourceLocation)
  #expect(problem["detail"]?.string?.isEmpty == false, sourceLocation: sourceLocation)
  return problem
}
