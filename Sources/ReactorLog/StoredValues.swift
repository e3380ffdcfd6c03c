/// The values that a store can have: arithmetic with them does not overflow.
///
/// Imports and readers of stored formats reject other ones.
package enum StoredValues {
  /// Versions, sequences and counts.
  package static let counts = 0...Int.max / 4

  /// Times in milliseconds: the years 0 to 9999.
  package static let times: ClosedRange<Int64> = -62_167_219_200_000...253_402_300_799_999

  /// The periods of timers in milliseconds.
  package static let periods: ClosedRange<Int64> = 1...Int64.max

  /// Whether numbers are versions, sequences or counts.
  package static func areCounts(_ numbers: Int...) -> Bool {
    numbers.allSatisfy { counts.contains($0) }
  }

  /// Whether a key is the name of a session.
  package static func isValid(_ key: SessionKey) -> Bool {
    !key.reactor.isEmpty && SessionKey.isValid(id: key.id)
  }
}
