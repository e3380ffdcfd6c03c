internal import ReactorLog

/// Folds the log of a session up to a version, page by page and slice by slice.
///
/// No thread waits for a page: the thread that delivers a page begins to fold it. After each
/// ``WorkSlice`` the fold returns to the queue of background work, behind that of other clients.
final class LogFolder: Sendable {
  private let log: any SessionLog
  private let fold: any SessionFold
  private let target: Int
  private let mark: CodeMark
  private let background: WorkerPool
  /// The client whose request folds the log.
  private let owner = WorkOwner.current
  private let completion: ReadCompletion<(any SessionFold)?>
  /// Executes the reads, so that reads that complete synchronously do not nest.
  private let reads = SerialAsyncQueue()

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
    let folder = LogFolder(log, fold, upTo: target, mark, background, completion)
    guard fold.version < target, !entries.isEmpty else { return folder.readNext() }
    folder.didRead(.success(entries))
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
    findSnapshot(atOrBefore: version, in: log, environment.witness.schema()) { result in
      do throws(LogError) {
        let snapshot = try result.get()
        let fold = try mark.reading { try environment.witness.fold(snapshot, session) }
        advance(
          fold, upTo: version, reading: log, mark, on: environment.background,
          completion: completion)
      } catch {
        completion(.failure(error))
      }
    }
  }

  /// Finds the snapshot to begin with.
  ///
  /// A snapshot of another schema is used only if retention has removed the first entries of the
  /// log.
  private static func findSnapshot(
    atOrBefore version: Int, in log: any SessionLog, _ schema: String,
    completion: @escaping ReadCompletion<Snapshot?>
  ) {
    log.snapshot(atOrBefore: version, of: schema) { result in
      guard case .success(nil) = result else { return completion(result) }
      log.entries(after: 0, limit: 1) { result in
        switch result {
        case .success(let entries) where entries.first?.version == 1: completion(.success(nil))
        case .success: log.snapshot(atOrBefore: version, of: nil, completion: completion)
        case .failure(let error): completion(.failure(error))
        }
      }
    }
  }

  private func readNext() {
    let version = fold.version
    guard version < target else { return completion(.success(fold)) }
    reads.enqueue { [self] done in
      log.entries(after: version, limit: min(LoadedSession.pageLength, target - version)) {
        self.didRead($0)
        done()
      }
    }
  }

  private func didRead(_ page: Result<[LogEntry], LogError>) {
    do throws(LogError) {
      let entries = try page.get()
      guard entries.first?.version == fold.version + 1 else { return completion(.success(nil)) }
      advance(by: entries.prefix { $0.version <= target })
    } catch {
      completion(.failure(error))
    }
  }

  /// Folds entries for one slice, and the rest in later ones.
  private func advance(by entries: ArraySlice<LogEntry>) {
    assert(!CompletionThread.isCurrent, "A fold delays the commits of all sessions.")
    var rest = entries
    var slice = WorkSlice()
    do throws(LogError) {
      while let entry = rest.first {
        try mark.reading { try fold.fold(CollectionOfOne(entry)) }
        rest.removeFirst()
        if slice.isOver(after: entry.mutation.count) { break }
      }
    } catch {
      return completion(.failure(error))
    }
    guard fold.version < target else { return completion(.success(fold)) }
    guard !rest.isEmpty || slice.hasEnded else { return readNext() }
    let next = rest
    background.enqueue(for: owner) { [self] in
      if next.isEmpty { readNext() } else { advance(by: next) }
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
