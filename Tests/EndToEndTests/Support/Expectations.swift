import Testing

/// Checks that a response is a certain problem, and returns its members.
@discardableResult
func expectProblem(
  _ answer: HTTPAnswer, _ status: Int, _ type: String,
  sourceLocation: SourceLocation = #_sourceLocation
) throws -> JSON {
  #expect(answer.status == status, sourceLocation: sourceLocation)
  #expect(answer["Content-Type"] == "application/problem+json", sourceLocation: sourceLocation)
  #expect(answer["X-Content-Type-Options"] == "nosniff", sourceLocation: sourceLocation)
  let problem = try answer.json
  #expect(problem["type"] == .string("/problems/" + type), sourceLocation: sourceLocation)
  #expect(problem["status"]?.int == status, sourceLocation: sourceLocation)
  #expect(problem["title"]?.string?.isEmpty == false, sourceLocation: sourceLocation)
  #expect(problem["detail"]?.string?.isEmpty == false, sourceLocation: sourceLocation)
  return problem
}
