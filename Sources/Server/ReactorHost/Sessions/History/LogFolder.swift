internal import ReactorLog

/// Folds the log of a session up to a version, page by page and slice by slice.
///
/// After each ``WorkSlice`` the other jobs of the background threads have their turn.
enum LogFolder {
  /// Continues a fold up to a version.
  ///
  /// - Parameters:
  ///   - fold: The fold.
  ///   - entries: The first entries after its version, if the caller has them.
  ///   - version: The version.
  ///   - log: The session's log.
  ///   - mark: Marks the code of the reactor.
  /// - Returns: The fold, or `nil` if the log ends earlier, or retention has removed entries.
  /// - Throws: If an entry cannot be read or folded.
  static func advance(
    _ fold: any SessionFold, by entries: [LogEntry] = [], upTo version: Int,
    reading log: any SessionLog, _ mark: CodeMark
  ) async throws(LogError) -> (any SessionFold)? {
    var (rest, slice) = (entries[...], WorkSlice())
    while fold.version < version {
      assert(!CompletionThread.isCurrent, "A fold delays the commits of all sessions.")
      if rest.isEmpty {
        let limit = min(LoadedSession.pageLength, version - fold.version)
        rest = try log.entries(after: fold.version, limit: limit)[...]
      }
      guard let entry = rest.popFirst(), entry.version == fold.version + 1 else { return nil }
      try mark.reading { try fold.fold(CollectionOfOne(entry)) }
      guard slice.isOver(after: entry.mutation.count), fold.version < version else { continue }
      await Task.yield()
      slice = WorkSlice()
    }
    return fold
  }

  /// Reads the State at a version that is not the current one of the session.
  ///
  /// - Parameters:
  ///   - version: The version.
  ///   - session: The session, and its stored parameters.
  ///   - log: The session's log.
  ///   - environment: The reactor.
  /// - Returns: A fold at the version, or `nil` in the same cases as ``advance(_:by:upTo:reading:_:)``.
  /// - Throws: If the log cannot be read, or an entry cannot be folded.
  static func read(
    _ version: Int, of session: SessionScope, from log: any SessionLog,
    in environment: ReactorEnvironment
  ) async throws(LogError) -> (any SessionFold)? {
    let mark = CodeMark(session.key, environment)
    let snapshot = try findSnapshot(atOrBefore: version, in: log, environment.witness.schema())
    let fold = try mark.reading { try environment.witness.fold(snapshot, session) }
    return try await advance(fold, upTo: version, reading: log, mark)
  }

  /// Finds the snapshot to begin with.
  ///
  /// A snapshot of another schema is used only if retention has removed the first entries of the
  /// log.
  private static func findSnapshot(
    atOrBefore version: Int, in log: any SessionLog, _ schema: String
  ) throws(LogError) -> Snapshot? {
    if let snapshot = try log.snapshot(atOrBefore: version, of: schema) { return snapshot }
    guard try log.entries(after: 0, limit: 1).first?.version != 1 else { return nil }
    return try log.snapshot(atOrBefore: version)
  }
}

/// Marks the code of a reactor while it is executed without an action, see ``ActionMarking``.
struct CodeMark: Sendable {
  private let key: SessionKey
  private let marking: (any ActionMarking)?

  init(_ key: SessionKey, _ environment: ReactorEnvironment) {
    self.key = key
    marking = environment.settings.marking
  }

  /// Executes code of the reactor with a mark.
  func executing<Value>(_ body: () throws -> Value) throws -> Value {
    let mark = marking?.begin(key, .session, [])
    defer { if let mark { marking?.end(mark) } }
    return try body()
  }

  /// Executes code of the reactor with a mark, and converts its error to a `LogError`.
  func reading<Value>(_ body: () throws -> Value) throws(LogError) -> Value {
    do {
      return try executing(body)
    } catch {
      throw error as? LogError ?? .corrupt("\(error)")
    }
  }
}
