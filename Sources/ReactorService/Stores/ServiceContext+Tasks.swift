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
    if case .nats(let addresses) = configuration.store {
      return try await execute(task, atBrokers: addresses)
    }
    if case .postgres(let address) = configuration.store {
      return try await execute(task, atDatabase: address)
    }
    guard case .sqlite(let path) = configuration.store else {
      throw ConfigurationError.configuration(
        "'reactord log' needs a store sqlite:PATH, postgres:// or nats://, found \(configuration.store)"
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
      try verify(SQLiteMaintenance(path: readable.path), readable.path, reactors)
      withExtendedLifetime(readable) {}
    case .check:
      let readable = try ReadableStore(path)
      try check(readable.path, reactors)
      withExtendedLifetime(readable) {}
    case .export(let count, let dropped):
      let output = StandardOutput()
      func write(_ line: [UInt8]) throws { try output.write(line + [UInt8(ascii: "\n")]) }
      if let count {
        let readable = try ReadableStore(path)
        var sample = ExportSample(count, dropping: try dropped.map { try JSONPointer($0) })
        try export(SQLiteMaintenance(path: readable.path), &sample, reactors, write)
        withExtendedLifetime(readable) {}
      } else {
        try store.export(write)
      }
      try output.flush()
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

  /// Exports a sample of the sessions, with the State that the reactors fold from each.
  private func export(
    _ store: SQLiteMaintenance, _ sample: inout ExportSample, _ reactors: [ReactorRegistration],
    _ write: ([UInt8]) throws -> Void
  ) throws {
    let log = try SQLiteLog(reading: store.path)
    let host = Host(reactors, log: log)
    func state(_ reactor: String, _ id: String) throws -> (Int, [UInt8])? {
      guard
        case .stored(let stored) = try log.session(SessionKey(reactor: reactor, id: id)).record(),
        let json = try host.reactor(reactor)?.storedState(
          id, at: Cursor(epoch: stored.epoch, version: stored.version))
      else { return nil }
      return (stored.version, json)
    }
    try store.export { try sample.count($0) }
    try store.export { line in for line in try sample.select(line, state: state) { try write(line) }
    }
  }

  /// Replays every session, and prints the findings and their result.
  private func verify(
    _ store: SQLiteMaintenance, _ path: String, _ reactors: [ReactorRegistration]
  ) throws {
    var verification = StoreVerification()
    verification.add(damage: try store.check())
    let host = Host(reactors, log: try SQLiteLog(reading: path))
    for reactor in host.reactors {
      var last: String?
      while true {
        let page = try reactor.sessions(after: last, limit: 1000)
        for session in page {
          last = session.id
          let key = SessionKey(reactor: reactor.name, id: session.id)
          let report = Result { () throws(LogError) in try reactor.refold(session.id) }
          try verification.add(key, report) { try store.lacksChecksums(key) }
        }
        if page.isEmpty { break }
      }
    }
    let hosted = Set(host.reactors.map(\.name))
    for (reactor, count) in try store.countSessions() where !hosted.contains(reactor) {
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
