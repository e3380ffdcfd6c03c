internal import ReactorLog

/// The result of a write operation.
enum WriteResult: Equatable {
  /// The change is on the disk.
  case written
  /// Nothing was changed.
  case rejected(LogError)
  /// A part is on the disk; the operation continues with the next group.
  case unfinished
}

/// The results of a group of write operations.
struct WriteOutcome {
  /// The result of each operation, in order.
  var results: [WriteResult] = []

  /// The error of the store that rejected operations, or `nil` if their own values are the cause, and
  /// if none was rejected.
  var failure: DatabaseError?
}
