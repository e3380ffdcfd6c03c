internal import ReactorCoding
internal import ReactorCore
internal import ReactorLog

/// Folds all retained entries of a session's log twice, with a separate instance for each fold.
///
/// The State of the second fold goes through its JSON. If the reactor is pure, both folds are equal,
/// and equal to each snapshot at its version. States are compared by their JSON as this release
/// encodes it, so the order in which another release has written a set does not matter.
struct LogVerification<R: Reactor>
where R.Action: Codable, R.Mutation: Codable, R.State: Codable {
  /// The bytes of States that are compared per entry: the cost of a comparison is proportional to the
  /// size of the State.
  private static var bytesPerEntry: Int { 512 }

  private struct Fold {
    let instance: FoldingInstance<R>
    var state: R.State

    init(_ reactor: R) {
      state = reactor.initialState
      instance = FoldingInstance(reactor)
    }
  }

  private let type: ReactorType<R>
  private let log: any SessionLog
  private let make: () -> R
  private var report = RefoldReport()
  private var first: Fold
  private var second: Fold
  private var reached = 0
  /// The last version at which the folds were equal, and the size and the State of the first one.
  private var equal: (version: Int, size: Int, state: R.State)
  /// The versions of the snapshots that have not been compared, the latest first.
  private var snapshots: [Int] = []

  init(_ type: ReactorType<R>, _ log: any SessionLog, _ make: @escaping () -> R) {
    self.type = type
    self.log = log
    self.make = make
    first = Fold(make())
    second = Fold(make())
    equal = (0, 0, first.state)
  }

  /// Folds all entries that are stored now.
  mutating func verify() throws -> RefoldReport {
    guard case .stored(let session) = try log.record() else { return report }
    try findSnapshots(upTo: session.version)
    report.impurity = try SecondFold<R> { [make] in make() }.impurity(ofInitial: first.state)
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
    try compareFolds()
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
    self.first.state = try read(base)
    second.state = try read(base)
    equal = (version, base.state.count, self.first.state)
    reached = version
    snapshots.removeAll { $0 <= version }
    return true
  }

  /// Decodes a snapshot; one that does not decode is not readable by this release.
  private func read(_ snapshot: Snapshot) throws -> R.State {
    do {
      return try type.decode(snapshot) { make() }
    } catch let error as JSONDecodingFailure {
      throw LogError.unreadable(
        version: snapshot.version, reason: "the snapshot, at \"\(error.pointer)\": \(error.detail)")
    }
  }

  private mutating func fold(_ entry: LogEntry) throws {
    first.state = first.instance.reduce(first.state, try type.decode(entry))
    // The second fold ends with the first difference.
    if report.impurity == nil {
      second.state = second.instance.reduce(second.state, try type.decode(entry))
    }
    reached = entry.version
    report.mutations += 1
    if (reached - equal.version) * Self.bytesPerEntry >= equal.size { try compareFolds() }
    while let version = snapshots.last, version <= reached {
      snapshots.removeLast()
      try compare(version)
    }
  }

  private mutating func compareFolds() throws {
    guard report.impurity == nil, reached > equal.version else { return }
    let comparison = SecondFold { [make] in make() }
    let json = try type.encode(first.state)
    let other = try type.encode(second.state)
    guard json == other else {
      report.impurity =
        try findDifference()
        ?? comparison.difference(json, other, in: first.state, at: reached) { _ in .reduce }
      return
    }
    do {
      second.state = try comparison.decode(json)
      equal = (reached, json.count, first.state)
    } catch {
      report.impurity = comparison.undecodable(json, error, at: reached)
    }
  }

  /// Folds the entries since the last comparison twice, and compares the folds after each.
  private func findDifference() throws -> Impurity? {
    let second = SecondFold { [make] in make() }
    let instance = FoldingInstance(make())
    var (version, state) = (equal.version, equal.state)
    while version < reached {
      let entries = try log.entries(after: version, limit: min(1000, reached - version))
      guard entries.first?.version == version + 1 else { return nil }
      for entry in entries {
        let mutation = try type.decode(entry)
        let next = instance.reduce(state, mutation)
        let found = try second.difference(
          at: entry.version, from: state, by: mutation, again: try type.decode(entry), to: next)
        if let found { return found }
        (version, state) = (entry.version, next)
      }
    }
    return nil
  }

  private mutating func compare(_ version: Int) throws {
    guard version == reached, let snapshot = try log.snapshot(atOrBefore: version),
      snapshot.version == version, snapshot.schema.isEmpty || snapshot.schema == type.schema
    else { return }
    report.snapshots += 1
    guard report.impurity == nil else { return }
    let stored = try type.encode(read(snapshot))
    report.impurity = SecondFold { [make] in make() }.difference(
      stored, try type.encode(first.state), in: first.state, at: version
    ) { _ in .snapshot }
  }

  private mutating func missing() -> RefoldReport {
    report.findings.append("version \(reached + 1) is missing")
    return report
  }
}
