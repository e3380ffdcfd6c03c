import Testing

/// Expects that two values are equal.
///
/// Unlike an operand of `#expect`, the value can be the result of a mutating call.
func expectEqual<Value: Equatable>(
  _ value: Value, _ expected: Value, sourceLocation: SourceLocation = #_sourceLocation
) {
  #expect(value == expected, sourceLocation: sourceLocation)
}
