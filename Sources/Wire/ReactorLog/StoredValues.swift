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

  /// Whether a text is the name of a history, of which cursors consist.
  package static func isEpoch(_ text: String) -> Bool {
    !text.isEmpty && Cursor(Cursor(epoch: text, version: counts.upperBound).description) != nil
  }

  /// Whether times are in the range of stored ones.
  package static func areTimes(_ times: Timestamp...) -> Bool {
    times.allSatisfy { Self.times.contains($0.milliseconds) }
  }

  /// Returns the key that the columns of a row name, or `nil` if no session has it.
  ///
  /// A list continues after the key of its last row. Text that is not UTF-8 is read with replacement
  /// characters, so that a list would not continue after it.
  package static func key(reactor: String, id: String) -> SessionKey? {
    let key = SessionKey(reactor: reactor, id: id)
    return isValid(key) && !reactor.unicodeScalars.contains("\u{FFFD}") ? key : nil
  }
}

extension ClosedRange {
  /// Returns the value of the range that is nearest to another value.
  package func nearest(_ value: Bound) -> Bound {
    Swift.min(Swift.max(value, lowerBound), upperBound)
  }
}
