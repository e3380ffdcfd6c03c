internal import ReactorLog

/// Checks of values that were read from a row: another program can have changed the store.
///
/// `StoredValues` has the values of an undamaged row, with which arithmetic does not overflow.
enum RowValues {
  /// Whether times are in the range of stored ones.
  static func areTimes(_ times: Timestamp...) -> Bool {
    times.allSatisfy { StoredValues.times.contains($0.milliseconds) }
  }

  /// Returns the key that the columns of a row name; `nil` if no session has it.
  ///
  /// A list continues after the key of its last row. Text that is not UTF-8 is read with replacement
  /// characters, so that a list would not continue after it.
  static func key(reactor: String, id: String) -> SessionKey? {
    let key = SessionKey(reactor: reactor, id: id)
    return StoredValues.isValid(key) && !reactor.unicodeScalars.contains("\u{FFFD}") ? key : nil
  }

  /// Returns the stored failure of an action or a request; `nil` for none.
  ///
  /// - Throws: If the JSON is damaged.
  static func failure(
    _ json: [UInt8]?, of row: @autoclosure () -> String
  ) throws(DatabaseError) -> ActionFailure? {
    guard let json else { return nil }
    guard let failure = ActionFailure(json: json) else { throw .damaged(row()) }
    return failure
  }
}

extension ClosedRange {
  /// Returns the value of the range that is nearest to another value.
  func nearest(_ value: Bound) -> Bound { Swift.min(Swift.max(value, lowerBound), upperBound) }
}

extension DatabaseError {
  /// The error of a row with a value that the store cannot have.
  static func damaged(_ row: String) -> DatabaseError {
    DatabaseError(code: .corrupt, message: "\(row) has an invalid value")
  }
}
