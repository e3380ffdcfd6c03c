internal import ReactorLog

/// Checks of values that were read from a row: another program can have changed the store.
enum RowValues {
  /// Returns the stored failure of an action or a request, or `nil` for none.
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

extension DatabaseError {
  /// The error of a row with a value that the store cannot have.
  static func damaged(_ row: String) -> DatabaseError {
    DatabaseError(code: .corrupt, message: "\(row) has an invalid value")
  }
}
