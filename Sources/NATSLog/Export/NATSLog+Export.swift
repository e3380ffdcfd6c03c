internal import NATSClient
internal import ReactorLog

extension NATSLog {
  /// Exports the store as JSON, one object per line, in the format of a store in a file: the globals,
  /// then each session, with the latest revisions of globals that its State contains, followed by its
  /// snapshots, mutations, accepted actions, outcomes and timers.
  ///
  /// Can run while services use the store. Each session is exported at one version, but different
  /// sessions are exported at different times.
  ///
  /// - Parameter write: Receives each line, without its end. An error ends the export.
  /// - Throws: A ``ReactorLog/LogError`` if the store cannot be read, or the error of `write`.
  public func export(_ write: ([UInt8]) throws -> Void) async throws {
    let prefix = "\(store.names.prefix).g."
    for subject in try await store.reader.subjects(of: store.names.meta, matching: "\(prefix)*")
      .sorted()
    {
      guard let name = StoreNames.unescaped(subject.dropFirst(prefix.count)),
        let value = try await globals.value(name)
      else { continue }
      try write(ExportLines.global(name, value))
    }
    var keys: [SessionKey] = []
    for number in 0..<store.names.logStreams {
      keys += try await store.logSubjects(number).compactMap { StoreNames.session(of: $0) }
    }
    keys.sort { ($0.reactor, $0.id) < ($1.reactor, $1.id) }
    for key in keys { try await export(key, write) }
  }

  private func export(
    _ key: SessionKey, _ write: ([UInt8]) throws -> Void
  ) async throws {
    let history = store.history(of: key)
    let head = try await history.head()
    switch head.status {
    case .none: return
    case .ended:
      let line = ExportLines.session(
        key, epoch: Epoch.random(), created: head.at, parameters: nil, isEnded: true)
      return try write(line)
    case .stored: break
    }
    let created = try await history.withHead(isComplete: false) { next async throws(LogError) in
      next.epoch == head.epoch ? try await history.creation(of: next) : nil
    }
    try write(
      ExportLines.session(
        key, epoch: head.epoch, created: created ?? head.at, parameters: head.parameters,
        globals: head.journal.globals, isEnded: false))
    let snapshots = store.snapshots(of: key)
    var copies = try await snapshots.all(of: head.epoch, upTo: head.version)
      .filter { $0.version >= head.beginning.floor }
    if head.beginning.floor > 0, let base = try await snapshots.base(of: head),
      !copies.contains(where: { $0.version == base.version })
    {
      copies.insert(base, at: 0)
    }
    for snapshot in copies { try write(ExportLines.snapshot(snapshot)) }
    try await exportEntries(of: head, history, write)
    for action in head.journal.acceptedActions { try write(ExportLines.accepted(action)) }
    let oldest = store.oldestOutcome
    let outcomes = try await history.withHead { head async throws(LogError) in
      try await history.outcomes(of: head, since: oldest, bound: 10_000)
    }
    for outcome in outcomes.values.sorted(by: { $0.at.milliseconds < $1.at.milliseconds })
    where outcome.version <= head.version { try write(ExportLines.outcome(outcome)) }
    for timer in head.journal.timers.values.sorted(by: { $0.id < $1.id }) {
      try write(ExportLines.timer(timer))
    }
  }

  /// The entries up to the version of a head; the log may be cleaned meanwhile.
  private func exportEntries(
    of head: SessionHead, _ history: HistoryReader,
    _ write: ([UInt8]) throws -> Void
  ) async throws {
    var reached = head.beginning.floor
    while reached < head.version {
      let (start, limit) = (reached, head.version - reached)
      let page = try await history.withHead(isComplete: false) { next async throws(LogError) in
        guard next.epoch == head.epoch else {
          throw .unavailable("The session \(key(of: history)) ended during the export.")
        }
        return try await history.entries(of: next, after: start, limit: limit)
      }
      guard let last = page.last else { return }
      for entry in page { try write(ExportLines.entry(entry)) }
      reached = last.version
    }
  }

  private func key(of history: HistoryReader) -> String {
    "\(history.key.reactor)/\(history.key.id)"
  }

  // MARK: Import

  /// Imports the output of ``export(_:)``, or the export of a store in a file, into an empty store.
  ///
  /// A session becomes visible when it is complete. After an error, the sessions before it remain.
  ///
  /// - Parameter next: Returns the next line, without its end, or `nil` after the last one.
  /// - Returns: The number of imported sessions.
  /// - Throws: If the store is not empty, a line is invalid, or the brokers do not confirm a write; or
  ///   the error of `next`.
  public func `import`(_ next: () throws -> [UInt8]?) async throws -> Int {
    for number in 0..<store.names.logStreams {
      guard try await store.logSubjects(number).isEmpty else {
        throw NATSLogError("the store \(store.names.prefix) has sessions")
      }
    }
    var session: ImportedSession?
    var (line, count) = (0, 0)
    while let text = try next() {
      line += 1
      guard !text.isEmpty else { continue }
      guard let read = ImportedLine(text) else {
        throw NATSLogError("line \(line) is not a line of an export", isInvalidInput: true)
      }
      guard read.isPlausible else {
        throw NATSLogError(
          "line \(line) has an invalid session id or epoch, or a number or a time out of range",
          isInvalidInput: true)
      }
      switch read {
      case .session(let next):
        try await session?.finish()
        session = try await ImportedSession(next, in: store)
        count += 1
      case .global(let name, let value):
        _ = try await globals.value(name)
        try await store.executor.result { [globals] in globals.set(value, as: name, completion: $0)
        }
      default:
        guard session != nil, try await session?.add(read) == true else {
          throw NATSLogError("line \(line) does not follow the one before", isInvalidInput: true)
        }
      }
    }
    try await session?.finish()
    return count
  }
}

/// A session that is being imported.
///
/// Its pages are written while its lines are read. Its first message, which makes it visible, is
/// written after its last line.
private struct ImportedSession {
  private let session: ImportedLine.Session
  private let store: NATSStore
  private let log: NATSSessionLog
  private var writer: PageWriter
  private var snapshots: [Snapshot] = []
  private var journal = Journal()
  private var hasBegun = false
  private var last: LogEntry?
  private var keyed = 0

  init(_ session: ImportedLine.Session, in store: NATSStore) async throws(LogError) {
    self.session = session
    self.store = store
    log = NATSSessionLog(session.key, in: store)
    writer = PageWriter(
      store, session.key, epoch: session.epoch, after: PagedHistory(),
      previous: try await store.pages(of: session.key).last())
  }

  /// Adds a line.
  ///
  /// - Returns: Whether the line can follow the previous ones.
  mutating func add(_ line: ImportedLine) async throws(LogError) -> Bool {
    switch line {
    case .session, .global, .failure: return false
    case .snapshot(let snapshot):
      guard last == nil else { return false }
      snapshots.append(snapshot)
    case .entry(let entry): return try await add(entry)
    case .accepted(let action): journal.set(action.id, action)
    case .timer(let timer): journal.set(timer.id, timer)
    case .outcome(let outcome):
      begin(before: nil)
      try await writer.append(outcome)
      keyed += 1
    }
    return true
  }

  private mutating func add(_ entry: LogEntry) async throws(LogError) -> Bool {
    begin(before: entry.version)
    guard entry.version == last.map({ $0.version + 1 }) ?? entry.version else { return false }
    last = entry
    if let global = entry.global { journal.set(global.name, global.revision) }
    // Entries up to the floor are replaced by the snapshot.
    guard entry.version > writer.history.lastVersion else { return true }
    guard entry.version == writer.history.lastVersion + 1 else { return false }
    try await writer.append(entry)
    return true
  }

  /// Begins the history with the snapshot that replaces the entries before the first one.
  ///
  /// `version` is that of the first entry, or `nil` if there are no entries.
  private mutating func begin(before version: Int?) {
    guard !hasBegun else { return }
    hasBegun = true
    guard version != 1, let version = version ?? snapshots.last.map({ $0.version + 1 }) else {
      return
    }
    let base = snapshots.first { $0.version >= version - 1 }?.version ?? 0
    (writer.history.floor, writer.history.version) = (base, base)
  }

  /// Stores the first message of the session.
  func finish() async throws(LogError) {
    var copy = self
    copy.begin(before: nil)
    var history = copy.writer.history
    if session.isEnded { return try await log.write { .write($0.ending(now: .now)) } }
    var chain = SnapshotRecord.Chain()
    let reader = store.snapshots(of: session.key)
    for snapshot in snapshots
    where snapshot.version >= history.floor && snapshot.version <= history.lastVersion {
      if history.floor > 0, snapshot.version == history.floor {
        history.snapshot = try await reader.keep(snapshot, of: session.epoch, after: chain)
        chain.milestones.append(
          HistoryIndex.Position(version: snapshot.version, sequence: history.snapshot))
        chain.lastMilestone = snapshot.version
      }
      chain = try await reader.save(snapshot, of: session.epoch, after: chain)
    }
    let message = message(history)
    try await log.write { head in
      guard head.status == .none else { return .reject(.conflict) }
      var message = message
      message.beginning.dropped = head.beginning.dropped
      return .write(message)
    }
  }

  private func message(_ history: PagedHistory) -> LogMessage {
    var message = SessionHead().creating(
      session.epoch, parameters: session.parameters, now: Timestamp(milliseconds: session.created))
    message.version = history.version
    message.batch.entries = history.entries
    message.batch.outcomes = history.outcomes
    message.beginning.refer(to: history)
    message.at = last?.at.milliseconds ?? session.created
    message.created = session.created
    message.journal = journal
    // Retention may have deleted the entries that have set them.
    for (name, revision) in session.globals { message.journal?.set(name, revision) }
    message.unfinished = journal.accepted.count
    message.timers = journal.timers.count
    message.keyed = keyed
    if keyed > 0 { message.numbers = .unknown(at: Timestamp.now.milliseconds) }
    return message
  }
}
