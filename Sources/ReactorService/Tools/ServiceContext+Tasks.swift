internal import Dispatch
internal import Glibc
internal import ReactorHost
internal import SQLiteLog

extension ServiceContext {
  /// Does something with the store that is configured, and says on standard output what came of it.
  func perform(_ task: StoreTask, _ reactors: [ReactorRegistration]) async throws {
    guard case .sqlite(let path) = configuration.store else {
      throw ConfigurationError.configuration(
        "the store \(configuration.store) is none that this can be done with")
    }
    // All of it blocks, for minutes perhaps.
    try await withCheckedThrowingContinuation { continuation in
      DispatchQueue.global().async {
        continuation.resume(
          with: Result {
            do {
              try perform(task, SQLiteMaintenance(path: path), path, reactors)
            } catch let error as SQLiteLogError {
              throw ConfigurationError(error)
            }
          })
      }
    }
  }

  private func perform(
    _ task: StoreTask, _ store: SQLiteMaintenance, _ path: String, _ reactors: [ReactorRegistration]
  ) throws {
    switch task {
    case .verify: try verify(store, path, reactors)
    case .export:
      let output = StandardOutput()
      try store.export { try output.write($0 + [UInt8(ascii: "\n")]) }
      try output.flush()
    case .import:
      let lines = InputLines()
      print("\(try store.import { try lines.next() }) sessions were read")
    case .backup(let copy):
      try store.backUp(to: copy)
      print("copied to \(copy)")
    case .compact:
      try store.compact(
        to: configuration.log.retain,
        schemas: Dictionary(reactors.map { ($0.name, $0.schema) }) { $1 },
        outcomesKept: configuration.actions.idempotency)
    }
  }

  /// Folds every session anew.
  private func verify(
    _ store: SQLiteMaintenance, _ path: String, _ reactors: [ReactorRegistration]
  ) throws {
    var findings = try store.check()
    var (sessions, mutations, snapshots) = (0, 0, 0)
    let host = Host(reactors, log: try SQLiteLog(reading: path))
    for reactor in host.reactors {
      var last: String?
      while true {
        let page = try reactor.sessions(after: last, limit: 1000)
        for session in page {
          sessions += 1
          last = session.id
          do throws(LogError) {
            let report = try reactor.refold(session.id)
            mutations += report.mutations
            snapshots += report.snapshots
            findings += report.findings.map { "\(reactor.name)/\(session.id): \($0)" }
          } catch {
            findings.append("\(reactor.name)/\(session.id): \(error)")
          }
        }
        if page.isEmpty { break }
      }
    }
    for finding in findings { print(finding) }
    print("\(sessions) sessions, \(mutations) mutations, \(snapshots) snapshots verified")
    guard findings.isEmpty else {
      throw ConfigurationError(message: "the store is damaged", exitCode: EX_DATAERR)
    }
  }
}
