internal import ReactorLog

/// An error of a call to PostgreSQL.
struct PostgresError: Error, Sendable {
  /// The SQLSTATE; empty if the connection was lost.
  let state: String

  /// The first line of the server's or libpq's description, which contains no password.
  let message: String

  /// The error of a connection that was lost, or could not be established.
  static func lost(_ message: String) -> PostgresError {
    PostgresError(state: "", message: message)
  }

  /// The error of a row with a value that the store cannot have.
  static func damaged(_ row: String) -> PostgresError {
    PostgresError(state: "XX001", message: "\(row) has an invalid value")
  }

  /// Whether the connection must be replaced.
  ///
  /// The server ends the connection (57P), it is or has become a standby (25006), or the connection failed
  /// (08). `25P02` and others of a transaction do not occur, since each transaction is one exchange.
  var breaksConnection: Bool {
    state.isEmpty || state.hasPrefix("08") || state.hasPrefix("57P") || state == "25006"
  }

  /// Whether the transaction was rolled back for a reason that does not concern it: a deadlock, a
  /// serialization failure, a lock that was not available.
  var isTransient: Bool { ["40P01", "40001", "40003", "55P03", "57014"].contains(state) }

  /// Whether the server does not have the prepared statement, or has it already: a pooler has passed the
  /// transaction to another connection.
  var concernsPreparedStatement: Bool { ["26000", "42P05"].contains(state) }

  /// Whether a group was sent before one that failed, or by a connection that was replaced, see
  /// `GroupStatements.seal`.
  var isOutOfTurn: Bool { state == "22012" }

  /// Whether the error concerns the values of one operation, so that the other operations of the group can
  /// still be written.
  var concernsOneOperation: Bool {
    !isOutOfTurn && ["21", "22", "23", "54"].contains(state.prefix(2))
  }

  /// The error that users of the log receive.
  var logError: LogError {
    switch state {
    case "53100": .full
    case "54000", "54001", "22001": .tooLarge
    case "XX001", "XX002": .corrupt(description)
    default: .unavailable(description)
    }
  }
}

extension PostgresError: CustomStringConvertible {
  var description: String { state.isEmpty ? message : "\(message) (SQLSTATE \(state))" }
}
