internal import ReactorLog
internal import Synchronization

/// The fork of a session at a version.
///
/// ```
/// reserve ──► copy pages ──► copy snapshots ──► append the first message, which makes the fork visible
/// ```
///
/// The first message follows the end of the target's log as it was before the copy: if the log is cleaned
/// meanwhile, which deletes pages that no message names, the fork fails.
struct SessionFork: Sendable {
  /// The maximum number of forks that are copied at the same time.
  static let bound = 64

  let store: NATSStore
  let source: SessionKey
  /// The history of the source, and its last version to copy.
  let cursor: Cursor
  let target: SessionKey
  let epoch: String
  /// The parameters of the new session, or `nil` for those of the source.
  let parameters: [UInt8]?

  private var version: Int { cursor.version }

  /// The copied history, and the globals and parameters for the first message.
  private struct Copy: Sendable {
    var history: PagedHistory
    var globals: Journal
    var parameters: [UInt8]?
  }

  /// Creates the session.
  func create() async throws(LogError) {
    guard store.forks.add(1, ordering: .relaxed).newValue <= Self.bound else {
      store.forks.subtract(1, ordering: .relaxed)
      throw .unavailable("Too many forks are being copied.")
    }
    defer { store.forks.subtract(1, ordering: .relaxed) }
    let log = NATSSessionLog(target, in: store)
    let expected = try await reserve(log)
    let copy = try await copyHistory()
    try await log.write { [epoch, cursor, source, target] head in
      guard head.status != .stored else { return .reject(.conflict) }
      guard head.sequence == expected else {
        return .reject(
          .unavailable("The log of \(target) was cleaned during the fork; repeat the request."))
      }
      return .write(
        head.forking(
          copy.history, from: LogMessage.Origin(session: source.id, version: cursor.version),
          epoch: epoch, parameters: copy.parameters, globals: copy.globals, now: .now))
    }
  }

  /// Appends a void message to the log of a target that has no messages, so that cleaning finds the
  /// pages of an interrupted fork.
  ///
  /// - Returns: The sequence of the target's last message.
  private func reserve(_ log: NATSSessionLog) async throws(LogError) -> Int {
    try await log.write { head in
      if head.status == .stored { return .reject(.conflict) }
      return head.sequence == 0 ? .write(head.voiding(now: .now)) : .finish
    }
    return try await store.history(of: target).head(isComplete: false).sequence
  }

  private func copyHistory() async throws(LogError) -> Copy {
    let history = store.history(of: source)
    return try await history.withHead { head async throws(LogError) in
      // A snapshot replaces the entries up to the floor.
      let floor = head.beginning.floor
      guard head.status == .none || head.status == .stored && head.epoch == cursor.epoch,
        floor <= version, version <= head.version, parameters == nil || floor == 0
      else { throw .conflict }
      let previous = try await store.pages(of: target).last()
      var writer = PageWriter(
        store, target, epoch: epoch, after: PagedHistory(floor: floor, version: floor),
        previous: previous)
      var reached = floor
      while reached < version {
        let page = try await history.entries(of: head, after: reached, limit: version - reached)
        guard let last = page.last else { break }
        for entry in page { try await writer.append(entry) }
        reached = last.version
      }
      guard reached == version else {
        throw .corrupt("The entries of \(source) after version \(reached) are missing.")
      }
      if parameters == nil {
        writer.history.snapshot = try await copySnapshots(of: head)
      }
      return Copy(
        history: writer.history, globals: try await globals(of: head, history),
        parameters: parameters ?? head.parameters)
    }
  }

  /// The revisions of globals at the version.
  private func globals(
    of head: SessionHead, _ history: HistoryReader
  ) async throws(LogError) -> Journal {
    guard version < head.version, !head.journal.globals.isEmpty else {
      return head.journal.globalsOnly
    }
    // Revisions that no retained entry has set were set by entries that retention deleted.
    var later: Set<String> = []
    var globals = Journal()
    var reached = head.beginning.floor
    while reached < head.version {
      let page = try await history.entries(
        of: head, after: reached, limit: head.version - reached)
      guard let last = page.last else { break }
      globals.applyGlobals(of: page, upTo: version)
      later.formUnion(page.compactMap { $0.version > version ? $0.global?.name : nil })
      reached = last.version
    }
    for (name, revision) in head.journal.globals
    where globals.globals[name] == nil && !later.contains(name) {
      globals.set(name, revision)
    }
    return globals
  }

  /// Copies the latest snapshots, and the one that replaces deleted entries.
  ///
  /// - Returns: The sequence of the latter; 0 for none.
  private func copySnapshots(of head: SessionHead) async throws(LogError) -> Int {
    guard head.status == .stored else { return 0 }
    let source = store.snapshots(of: source)
    let target = store.snapshots(of: target)
    var chain = SnapshotRecord.Chain()
    var sequence = 0
    if head.beginning.floor > 0, let base = try await source.base(of: head) {
      sequence = try await target.keep(base, of: epoch, after: chain)
      chain.milestones.append(
        HistoryIndex.Position(version: base.version, sequence: sequence))
      chain.lastMilestone = base.version
    }
    for snapshot in try await source.all(of: head.epoch, upTo: version)
    where snapshot.version >= head.beginning.floor {
      chain = try await target.save(snapshot, of: epoch, after: chain)
    }
    return sequence
  }
}

extension NATSSessionLog {
  /// Writes a message after the end of the log, see ``write(_:completion:)``.
  func write(
    _ decide: @escaping @Sendable (SessionHead) -> Decision
  ) async throws(LogError) {
    let result: Result<Void, LogError> = await withCheckedContinuation { continuation in
      write(decide) { continuation.resume(returning: $0) }
    }
    try result.get()
  }
}
