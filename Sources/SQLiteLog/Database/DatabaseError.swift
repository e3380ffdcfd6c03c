internal import Glibc
internal import ReactorHost

/// A call to SQLite that failed.
struct DatabaseError: Error, Sendable {
  /// The extended result code.
  let code: ResultCode

  /// What SQLite says about it.
  let message: String

  /// The `errno` of the system call that failed; 0 where none did.
  let systemError: Int32

  /// Whether it is about one statement and what was bound to it, not about the store as a whole: the
  /// others of its group may go on.
  var concernsOneStatement: Bool {
    [.constraint, .tooBig].contains(code.primary)
  }

  /// Whether a row is there already that was to be written: someone else has written it.
  var isConflict: Bool { code.primary == .constraint }

  /// Whether the connection is to be opened anew before anything else is tried with it.
  var breaksConnection: Bool {
    !isForWantOfSpace && ![.constraint, .tooBig, .busy, .locked].contains(code.primary)
  }

  /// What it means to whoever uses the log.
  var logError: LogError {
    if isForWantOfSpace { return .full }
    switch code.primary {
    case .corrupt, .notADatabase: return .corrupt(description)
    default: return .unavailable(description)
    }
  }

  // A limit of the process or a quota is told by SQLite as a plain error of writing.
  private var isForWantOfSpace: Bool {
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
