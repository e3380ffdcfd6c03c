internal import Dispatch
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
    guard case .sqlite(let path) = configuration.store else {
      throw ConfigurationError.configuration(
        "'reactord log' needs a store sqlite:PATH or nats://, found \(configuration.store)")
    }
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
    case .verify: try verify(store, path, reactors)
    case .export:
      let output = StandardOutput()
      try store.export { try output.write($0 + [UInt8(ascii: "\n")]) }
      try output.flush()
    case .import:
      let lines = InputLines()
      print("\(try store.import { try lines.next() }) sessions imported")
    case .backup(let copy):
      try store.backUp(to: copy)
      print("copied to \(copy)")
    case .compact:
      try store.compact(
        to: configuration.retention,
        schemas: Dictionary(reactors.map { ($0.name, $0.schema) }) { $1 },
        outcomeRetention: configuration.host.idempotency)
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
