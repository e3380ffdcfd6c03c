internal import Dispatch
internal import Glibc
internal import ReactorCoding
internal import ReactorHost
internal import ReactorLog
internal import SQLiteLog
internal import TerminalClient

extension ServiceContext {
  /// Executes a maintenance task of the configured store, and prints the result.
  func execute(_ task: StoreTask, _ reactors: [ReactorRegistration]) async throws {
    if case .postgres(let address) = configuration.store {
      return try await execute(task, atDatabase: address, reactors)
    }
    guard case .sqlite(let path) = configuration.store else {
      throw ConfigurationError.configuration(
        "'reactord log' needs a store sqlite:PATH or postgres://, found \(configuration.store)"
      )
    }
    // A file size limit makes writes fail instead of ending the process.
    signal(SIGXFSZ, SIG_IGN)
    // The task may block for minutes.
    try await withCheckedThrowingContinuation { continuation in
      DispatchQueue.global().async {
        continuation.resume(
          with: Result {
            do {
              try execute(task, SQLiteMaintenance(path: path), path, reactors)
            } catch let error as SQLiteLogError {
              throw ConfigurationError(error)
            }
          })
      }
    }
  }

  private func execute(
    _ task: StoreTask, _ store: SQLiteMaintenance, _ path: String, _ reactors: [ReactorRegistration]
  ) throws {
    switch task {
    case .verify:
      // One temporary copy of an earlier release's store for all parts of the task.
      let readable = try ReadableStore(path)
      let store = SQLiteMaintenance(path: readable.path)
      try verify(
        try SQLiteLog(reading: readable.path), damage: try store.check(),
        sessions: try store.countSessions(), lacksChecksums: { try store.lacksChecksums($0) },
        reactors)
      withExtendedLifetime(readable) {}
    case .check:
      let readable = try ReadableStore(path)
      try check(try SQLiteLog(reading: readable.path), reactors)
      withExtendedLifetime(readable) {}
    case .export(let count, let dropped):
      guard let count else { return try export(store.export) }
      let readable = try ReadableStore(path)
      try exportSample(
        count, dropping: dropped, of: try SQLiteLog(reading: readable.path), reactors,
        SQLiteMaintenance(path: readable.path).export)
      withExtendedLifetime(readable) {}
    case .import(let leavesOutDamaged):
      let lines = InputLines()
      let count = try store.import(
        leavingOut: leavesOutDamaged ? { print("left out: \($0)") } : nil, { try lines.next() })
      print("\(count) sessions imported")
    case .backup(let copy):
      try store.backUp(to: copy)
      print("copied to \(copy)")
    case .migrate:
      guard let migration = try store.migration() else { return print("the store is current") }
      print(
        "migrating the tables from version \(migration.from) to \(migration.to): the store has "
          + "\(migration.size) bytes and needs up to \(migration.peak) meanwhile; \(migration.free) are free"
      )
      try store.migrate()
      print("migrated")
    case .compact:
      try store.compact(
        to: configuration.retention,
        schemas: Dictionary(reactors.map { ($0.name, $0.schema) }) { $1 },
        outcomeRetention: configuration.host.idempotency)
    }
  }

  /// Prints the lines of an export.
  func export(_ lines: ((_ write: ([UInt8]) throws -> Void) throws -> Void)) throws {
    let output = StandardOutput()
    try lines { try output.write($0 + [UInt8(ascii: "\n")]) }
    try output.flush()
  }

  /// Prints a sample of the sessions, with the State that the reactors fold from each.
  func exportSample(
    _ count: Int, dropping dropped: [String], of log: any MutationLog,
    _ reactors: [ReactorRegistration],
    _ lines: ((_ write: ([UInt8]) throws -> Void) throws -> Void)
  ) throws {
    var sample = ExportSample(count, dropping: try dropped.map { try JSONPointer($0) })
    let host = Host(reactors, log: log)
    func state(_ reactor: String, _ id: String) throws -> (Int, [UInt8])? {
      guard
        case .stored(let stored) = try log.session(SessionKey(reactor: reactor, id: id)).record(),
        let reactor = host.reactor(reactor)
      else { return nil }
      let cursor = Cursor(epoch: stored.epoch, version: stored.version)
      // This thread may block.
      let json = try waitForResult {
        (completion: @escaping @Sendable (Result<[UInt8]?, LogError>) -> Void) in
        host.background.start {
          do throws(LogError) {
            completion(.success(try await reactor.storedState(id, at: cursor)))
          } catch {
            completion(.failure(error))
          }
        }
      }
      return json.map { (stored.version, $0) }
    }
    try lines { try sample.count($0) }
    let output = StandardOutput()
    try lines { line in
      for line in try sample.select(line, state: state) {
        try output.write(line + [UInt8(ascii: "\n")])
      }
    }
    try output.flush()
  }

  /// Replays every session, and prints the findings and their result.
  ///
  /// - Parameters:
  ///   - log: The store.
  ///   - damage: The damage that the store itself has found.
  ///   - sessions: The number of sessions of each reactor.
  ///   - lacksChecksums: Whether entries of a session have no checksum.
  ///   - reactors: The reactors.
  /// - Throws: The result, unless the store is sound; or the error of the store.
  func verify(
    _ log: any MutationLog, damage: [String], sessions: [(reactor: String, count: Int)],
    lacksChecksums: (SessionKey) throws -> Bool, _ reactors: [ReactorRegistration]
  ) throws {
    var verification = StoreVerification()
    verification.add(damage: damage)
    let host = Host(reactors, log: log)
    for reactor in host.reactors {
      var last: String?
      while true {
        let page = try log.sessions(of: reactor.name, after: last, limit: 1000)
        for session in page {
          last = session.id
          let key = SessionKey(reactor: reactor.name, id: session.id)
          let report = Result { () throws(LogError) in try reactor.refold(session.id) }
          try verification.add(key, report) { try lacksChecksums(key) }
        }
        if page.isEmpty { break }
      }
    }
    let hosted = Set(host.reactors.map(\.name))
    for (reactor, count) in sessions where !hosted.contains(reactor) {
      verification.add(unhosted: reactor, sessions: count)
    }
    for finding in verification.findings { print(finding) }
    print(
      """
      \(verification.sessions) sessions, \(verification.mutations) mutations, \
      \(verification.snapshots) snapshots verified
      """)
    guard let result = verification.result else { return print(verification.sentence) }
    throw ConfigurationError(message: verification.sentence, exitCode: result.rawValue)
  }
}
