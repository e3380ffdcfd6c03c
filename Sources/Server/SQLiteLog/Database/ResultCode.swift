internal import CSQLite

/// A result code of SQLite; open, because a newer library may return codes that are unknown here.
struct ResultCode: RawRepresentable, Equatable, Sendable {
  let rawValue: Int32

  static let ok = ResultCode(rawValue: SQLITE_OK)
  static let row = ResultCode(rawValue: SQLITE_ROW)
  static let done = ResultCode(rawValue: SQLITE_DONE)
  static let busy = ResultCode(rawValue: SQLITE_BUSY)
  static let locked = ResultCode(rawValue: SQLITE_LOCKED)
  static let inputOutput = ResultCode(rawValue: SQLITE_IOERR)
  static let full = ResultCode(rawValue: SQLITE_FULL)
  static let corrupt = ResultCode(rawValue: SQLITE_CORRUPT)
  static let notADatabase = ResultCode(rawValue: SQLITE_NOTADB)
  static let constraint = ResultCode(rawValue: SQLITE_CONSTRAINT)
  static let tooBig = ResultCode(rawValue: SQLITE_TOOBIG)
  static let cannotOpen = ResultCode(rawValue: SQLITE_CANTOPEN)
  static let readOnly = ResultCode(rawValue: SQLITE_READONLY)

  /// The primary code of an extended one: `SQLITE_IOERR` of `SQLITE_IOERR_WRITE`.
  var primary: ResultCode { ResultCode(rawValue: rawValue & 0xFF) }

  /// SQLite's description of the code.
  var words: String {
    guard let text = unsafe sqlite3_errstr(rawValue) else { return "error \(rawValue)" }
    return unsafe String(cString: text)
  }
}
