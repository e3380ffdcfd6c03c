import TestSupport
import Testing

/// Waits for a condition that another thread establishes.
func eventually(
  _ condition: () throws -> Bool, location: SourceLocation = #_sourceLocation
) async throws {
  try await wait(until: condition, location: location)
}
