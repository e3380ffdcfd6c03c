internal import Glibc
internal import ReactorLog

/// An error of a call to SQLite.
struct DatabaseError: Error, Sendable {
  /// The extended result code.
  let code: ResultCode

  /// SQLite's description.
  let message: String

  /// The `errno` of the system call that failed; 0 if none did.
  let systemError: Int32

  init(code: ResultCode, message: String = "", systemError: Int32 = 0) {
    self.code = code
    self.message = message
    self.systemError = systemError
  }

  /// Whether the error concerns a single statement and its values, so that the other operations of
  /// the group can still be written.
  var concernsOneStatement: Bool {
    [.constraint, .tooBig].contains(code.primary)
  }

  /// Whether the row that was to be inserted already exists.
  var isConflict: Bool { code.primary == .constraint }

  /// Whether the connection must be opened again before it is used.
  var breaksConnection: Bool {
    !isLackOfSpace && ![.constraint, .tooBig, .busy, .locked].contains(code.primary)
  }

  /// The error that users of the log receive.
  var logError: LogError {
    if isLackOfSpace { return .full }
    switch code.primary {
    case .corrupt, .notADatabase: return .corrupt(description)
    default: return .unavailable(description)
    }
  }

  // SQLite reports a file size limit and a quota as a plain write error.
  private var isLackOfSpace: Bool {
    switch code.primary {
    case .full: true
    case .inputOutput, .cannotOpen: [ENOSPC, EDQUOT, EFBIG].contains(systemError)
    default: false
    }
  }
}

extension DatabaseError: CustomStringConvertible {
  var description: String {
    let words = code.words
    return message == words || message.isEmpty ? words : "\(words) (\(message))"
  }
}
