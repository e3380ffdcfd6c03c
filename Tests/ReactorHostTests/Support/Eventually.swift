import Testing

/// Waits for a condition that another thread establishes.
func eventually(
  _ condition: () throws -> Bool, location: SourceLocation = #_sourceLocation
) async throws {
  let deadline = ContinuousClock.now + .seconds(300)
  while try !condition() {
    guard ContinuousClock.now < deadline else {
      Issue.record("The condition was not established.", sourceLocation: location)
      throw CancellationError()
    }
    try await Task.sleep(for: .milliseconds(2))
  }
}
