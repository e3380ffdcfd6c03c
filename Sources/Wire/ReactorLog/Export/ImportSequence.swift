/// An invalid line that ends an import.
package struct ImportError: Error, CustomStringConvertible {
  /// The number of the line, its session or global if it has one, and the reason.
  package let description: String
}

/// The transaction of a store that an export is imported into.
package protocol ImportTarget {
  /// Inserts a global, the first line of a session, or a further line of the session that was begun last.
  ///
  /// - Parameters:
  ///   - line: The line.
  ///   - size: The number of its bytes.
  /// - Throws: ``InvalidLine`` if the store rejects the line.
  mutating func insert(_ line: ImportedLine, size: Int) throws

  /// Completes the session that was begun last.
  ///
  /// - Parameter session: The common values of the lines.
  /// - Throws: ``InvalidLine`` if the store rejects a line of the session.
  mutating func finish(_ session: ImportedHistory) throws

  /// Keeps what was inserted.
  mutating func keep() throws

  /// Discards what was inserted since the last call of ``keep()``.
  mutating func discard() throws
}

/// The common values of the lines of a session.
package struct ImportedHistory {
  /// The first line.
  package let session: ImportedLine.Session

  /// The version and the time of the latest entry, or `nil` for none.
  package private(set) var last: (version: Int, at: Timestamp)?

  private var snapshot = 0
  private var marks: [String: UInt64] = [:]

  fileprivate init(_ session: ImportedLine.Session) { self.session = session }

  /// The version of the latest entry or snapshot.
  package var version: Int { max(last?.version ?? 0, snapshot) }

  /// The latest revisions of globals.
  package var globals: [String: UInt64] {
    // Entries have the revisions that retention has not deleted; earlier releases export no others.
    marks.merging(session.globals) { $1 }
  }

  /// Adds a further line.
  ///
  /// - Throws: If it cannot follow the lines before it.
  fileprivate mutating func add(_ line: ImportedLine) throws(InvalidLine) {
    switch line {
    case .snapshot(let read): snapshot = max(snapshot, read.version)
    case .entry(let entry):
      let follows =
        if let last { entry.version == last.version + 1 } else { entry.version <= snapshot + 1 }
      guard follows else {
        throw InvalidLine("has version \(entry.version), which does not follow the one before")
      }
      last = (entry.version, entry.at)
      if let global = entry.global { marks[global.name] = global.revision }
    default: break
    }
  }
}

/// The lines of an export in their order, which are inserted into a store.
package struct ImportSequence<Target: ImportTarget> {
  /// The part of the export that the next lines belong to.
  private enum Part { case none, session, leftOut }

  private var target: Target
  private let report: ((String) -> Void)?
  private var line = 0
  /// The name of the current session or global, if it is known.
  private var name: String?
  private var part = Part.none
  private var history: ImportedHistory?
  private var sessionCount = 0

  /// Creates a sequence before the first line.
  ///
  /// - Parameters:
  ///   - target: The transaction, which nothing was inserted into since a call of `keep()`.
  ///   - report: Leaves out each session and global with a line that is damaged or invalid, or that exists, and
  ///     is called with a text about the first of these lines of each. `nil` leaves out nothing.
  package init(into target: Target, leavingOut report: ((String) -> Void)?) {
    self.target = target
    self.report = report
  }

  /// Inserts all lines.
  ///
  /// - Parameter next: Returns the next line, without its end, or `nil` after the last one.
  /// - Returns: The number of imported sessions.
  /// - Throws: ``ImportError`` if a line is invalid and nothing is left out; or the error of the store or of
  ///   `next`.
  package mutating func insert(_ next: () throws -> [UInt8]?) throws -> Int {
    var number = 0
    while let text = try next() {
      number += 1
      if !text.isEmpty { try insert(text, number) }
    }
    try finish()
    return sessionCount
  }

  private mutating func insert(_ text: [UInt8], _ number: Int) throws {
    let members = LineMembers(text)
    let beginning = members.beginning
    if beginning != nil || part == .none {
      try finish()
      name = beginning?.name
      part = beginning?.isSession == true ? .session : .none
    }
    line = number
    // A session is left out with all of its lines.
    guard part != .leftOut else { return }
    try leavingOut { (sequence) throws in
      try sequence.insert(try ImportedLine(members), size: text.count)
    }
  }

  private mutating func insert(_ line: ImportedLine, size: Int) throws {
    switch line {
    case .session(let session): history = ImportedHistory(session)
    case .global:
      try target.insert(line, size: size)
      return try target.keep()
    default:
      guard part == .session else { throw InvalidLine("belongs to no session") }
      try history?.add(line)
    }
    try target.insert(line, size: size)
  }

  /// Completes the current session.
  private mutating func finish() throws {
    guard part == .session, let history else { return }
    try leavingOut { (sequence) throws in
      try sequence.target.finish(history)
      try sequence.target.keep()
      sequence.sessionCount += 1
    }
  }

  private mutating func leavingOut(_ body: (inout Self) throws -> Void) throws {
    do {
      try body(&self)
    } catch let error as InvalidLine {
      let owner = name.map { " of \($0.debugDescription)" } ?? ""
      let text = "line \(line)\(owner) is invalid: it \(error.reason)"
      guard let report else { throw ImportError(description: text) }
      report(text)
      try target.discard()
      if part == .session { part = .leftOut }
    }
  }
}
