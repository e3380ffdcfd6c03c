internal import ReactorCoding
internal import ReactorCore
internal import ReactorLog

/// Folds all retained entries of a session's log twice, with a separate instance for each fold.
///
/// If `reduce` is pure, both folds are equal, and equal to each snapshot at its version.
struct LogVerification<R: Reactor>
where R.Action: Codable, R.Mutation: Codable, R.State: Codable {
  private struct Fold {
    let reactor: R
    var state: R.State
  }

  private let type: ReactorType<R>
  private let log: any SessionLog
  private var report = RefoldReport()
  private var first: Fold
  private var second: Fold
  private var reached = 0
  /// The versions of the snapshots that have not been compared, the latest first.
  private var snapshots: [Int] = []

  init(_ type: ReactorType<R>, _ log: any SessionLog, _ make: () -> R) {
    self.type = type
    self.log = log
    func fold() -> Fold {
      let reactor = make()
      return Fold(reactor: reactor, state: reactor.initialState)
    }
    first = fold()
    second = fold()
  }

  /// Folds all entries that are stored now.
  mutating func verify() throws -> RefoldReport {
    guard case .stored(let session) = try log.record() else { return report }
    try findSnapshots(upTo: session.version)
    while reached < session.version {
      let entries = try log.entries(after: reached, limit: min(1000, session.version - reached))
      // A snapshot replaces the first entries if retention has removed them.
      let next = entries.first?.version ?? session.version + 1
      if next != reached + 1 {
        guard reached == 0, try begin(from: next - 1) else { return missing() }
        continue
      }
      for entry in entries {
        guard entry.version == reached + 1 else { return missing() }
        try fold(entry)
      }
    }
    if try type.encode(first.state) != type.encode(second.state) {
      report.findings.append("reduce is not pure: two folds of the same log differ")
    }
    return report
  }

  private mutating func findSnapshots(upTo version: Int) throws {
    var end = version
    while let snapshot = try log.snapshot(atOrBefore: end) {
      snapshots.append(snapshot.version)
      end = snapshot.version - 1
    }
  }

  /// Begins with the oldest snapshot whose following entries are all retained.
  ///
  /// - Returns: Whether a snapshot was found.
  private mutating func begin(from first: Int) throws -> Bool {
    guard let version = snapshots.last(where: { $0 >= first }),
      let base = try log.snapshot(atOrBefore: version), base.version == version
    else { return false }
    self.first.state = try JSONCoder.decode(R.State.self, from: base.state)
    second.state = self.first.state
    reached = version
    snapshots.removeAll { $0 <= version }
    return true
  }

  private mutating func fold(_ entry: LogEntry) throws {
    let (one, other) = (try type.decode(entry), try type.decode(entry))
    first.state = first.reactor.reduce(state: first.state, mutation: one)
    second.state = second.reactor.reduce(state: second.state, mutation: other)
    reached = entry.version
    report.mutations += 1
    while let version = snapshots.last, version <= reached {
      snapshots.removeLast()
      try compare(version)
    }
  }

  private mutating func compare(_ version: Int) throws {
    guard version == reached, let snapshot = try log.snapshot(atOrBefore: version),
      snapshot.version == version, snapshot.schema.isEmpty || snapshot.schema == type.schema
    else { return }
    report.snapshots += 1
    let stored = try JSONCoder.decode(R.State.self, from: snapshot.state)
    if try type.encode(stored) != type.encode(first.state) {
      report.findings.append("the snapshot of version \(version) is not the fold of the log")
    }
  }

  private mutating func missing() -> RefoldReport {
    report.findings.append("version \(reached + 1) is missing")
    return report
  }
}
