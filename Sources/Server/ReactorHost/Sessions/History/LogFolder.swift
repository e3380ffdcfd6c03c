internal import ReactorLog

/// Folds the log of a session up to a version, page by page and slice by slice.
///
/// After each ``WorkSlice`` the fold returns to the queue of background work, behind that of other clients.
final class LogFolder: Sendable {
  private let log: any SessionLog
  private let fold: any SessionFold
  private let target: Int
  private let mark: CodeMark
  private let background: WorkerPool
  /// The client whose request folds the log.
  private let owner = WorkOwner.current
  private let completion: ReadCompletion<(any SessionFold)?>

  private init(
    _ log: any SessionLog, _ fold: any SessionFold, upTo target: Int, _ mark: CodeMark,
    _ background: WorkerPool, _ completion: @escaping ReadCompletion<(any SessionFold)?>
  ) {
    self.log = log
    self.fold = fold
    self.target = target
    self.mark = mark
    self.background = background
    self.completion = completion
  }

  /// Continues a fold up to a version.
  ///
  /// - Parameters:
  ///   - fold: The fold.
  ///   - entries: The first entries after its version, if the caller has them.
  ///   - target: The version.
  ///   - log: The session's log.
  ///   - mark: Marks the code of the reactor.
  ///   - background: Executes the slices after the first one.
  ///   - completion: Called on any thread with the fold; with `nil` if the log ends earlier, or retention has removed
  ///     entries.
  static func advance(
    _ fold: any SessionFold, by entries: [LogEntry] = [], upTo target: Int,
    reading log: any SessionLog, _ mark: CodeMark, on background: WorkerPool,
    completion: @escaping ReadCompletion<(any SessionFold)?>
  ) {
    LogFolder(log, fold, upTo: target, mark, background, completion).advance(by: entries[...])
  }

  /// Reads the State at a version that is not the current one of the session.
  ///
  /// - Parameters:
  ///   - version: The version.
  ///   - session: The session, and its stored parameters.
  ///   - log: The session's log.
  ///   - environment: The reactor.
  ///   - completion: Called with a fold at the version; with `nil` in the same cases as
  ///     ``advance(_:by:upTo:reading:_:on:completion:)``.
  static func read(
    _ version: Int, of session: SessionScope, from log: any SessionLog,
    in environment: ReactorEnvironment, completion: @escaping ReadCompletion<(any SessionFold)?>
  ) {
    let mark = CodeMark(session.key, environment)
    do throws(LogError) {
      let snapshot = try findSnapshot(atOrBefore: version, in: log, environment.witness.schema())
      let fold = try mark.reading { try environment.witness.fold(snapshot, session) }
      advance(
        fold, upTo: version, reading: log, mark, on: environment.background, completion: completion)
    } catch {
      completion(.failure(error))
    }
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

  /// Folds entries, and those that follow them in the log, for one slice; the rest in later ones.
  private func advance(by entries: ArraySlice<LogEntry>) {
    assert(!CompletionThread.isCurrent, "A fold delays the commits of all sessions.")
    var rest = entries
    var slice = WorkSlice()
    do throws(LogError) {
      while fold.version < target {
        if rest.isEmpty {
          let limit = min(LoadedSession.pageLength, target - fold.version)
          rest = try log.entries(after: fold.version, limit: limit)[...]
        }
        guard let entry = rest.popFirst(), entry.version == fold.version + 1 else {
          return completion(.success(nil))
        }
        try mark.reading { try fold.fold(CollectionOfOne(entry)) }
        guard slice.isOver(after: entry.mutation.count), fold.version < target else { continue }
        let next = rest
        return background.enqueue(for: owner) { [self] in advance(by: next) }
      }
      completion(.success(fold))
    } catch {
      completion(.failure(error))
    }
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
