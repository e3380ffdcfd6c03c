internal import ReactorLog
internal import Synchronization
internal import SystemThreads
internal import Telemetry

/// Bounds the size of the LOG streams: appends an anchor for each session that needs old messages,
/// and then deletes the old messages.
///
/// Several processes can clean a stream at the same time, and each can be killed at any step,
/// without harm. A lease in LIVE only avoids duplicate work.
final class LogCleaner: Sendable {
  /// The rules that decide when a stream is cleaned.
  struct Rules: Sendable {
    /// The size below which a stream is not cleaned, in bytes.
    var minimum = 64 << 20
    /// A stream is cleaned when it is this number of times as large as after the last cleaning.
    var growth = 4
    /// The minimum age of messages that are deleted, in seconds.
    ///
    /// The brokers must not forget the id of a message while another append with the same id can be
    /// in flight, even if they restart.
    var age: Int64 = 120
    /// The time between two passes, in seconds.
    var interval = 10
    /// The number of sessions that are compacted at the same time.
    var parallel = 16
    /// Called between the steps.
    var hook: CleaningHook = { _ in }
  }

  private let store: NATSStore
  private let rules: Rules
  private let lease: Lease
  /// The size of each stream after its last cleaning, in bytes, by the number of the stream.
  private let sizes = Mutex<[Int: Int]>([:])

  init(_ store: NATSStore, _ rules: Rules) {
    self.store = store
    self.rules = rules
    lease = Lease("cleaner", store.reader, store.names)
  }

  /// Cleans until the object is released.
  func start() {
    store.executor.detach { [weak self] in
      while true {
        guard let interval = self?.rules.interval else { return }
        try? await Task.sleep(for: .seconds(interval))
        guard let self else { return }
        await cleanAll()
      }
    }
  }

  private func cleanAll() async {
    guard await lease.hold() else { return }
    for number in 0..<store.names.logStreams {
      do throws(LogError) {
        try await clean(number)
      } catch {
        store.logger.warning(
          "a stream was not cleaned",
          ["stream": store.names.log(number), "reason": error.reason])
      }
    }
  }

  /// Cleans a stream if it is large enough.
  ///
  /// - Returns: Whether messages were deleted.
  @discardableResult
  func clean(_ number: Int) async throws(LogError) -> Bool {
    let stream = store.names.log(number)
    let before = try await store.reader.bounds(of: stream)
    let size = sizes.withLock { $0[number] ?? 0 }
    guard before.bytes >= max(rules.minimum, rules.growth * size), before.last > before.first,
      var cut = try await cut(before, in: stream)
    else { return false }
    // Messages that the feed has not read yet are not deleted.
    if let feed = store.feed.withLock({ $0 }) { cut = min(cut, feed.position(of: number) + 1) }
    guard cut > before.first else { return false }
    let start = Clock.milliseconds
    let compacted = try await compactSessions(of: number, before: cut)
    try rules.hook(.willCut)
    var deleted = 0
    if compacted.isComplete {
      deleted = try await store.reader.purge(stream, before: cut)
    } else {
      // Only the sessions that could not be compacted need their messages.
      for key in compacted.clean {
        deleted += try await store.reader.purge(
          stream, store.names.logSubject(of: key), before: cut)
      }
    }
    try rules.hook(.cut)
    let after = try await store.reader.bounds(of: stream)
    if compacted.isComplete || deleted > 0 { sizes.withLock { $0[number] = after.bytes } }
    store.engine.counters.cleanings.add()
    store.logger.info(
      "a stream was cleaned",
      [
        "stream": stream, "sessions": "\(compacted.anchored)",
        "messages": "\(deleted)",
        "bytes": "\(before.bytes) to \(after.bytes)",
        "milliseconds": "\(Clock.milliseconds - start)",
      ])
    return true
  }

  /// Returns the first sequence to retain, or `nil` if no messages are to be deleted.
  ///
  /// Three quarters of the messages are deleted, or a half or a quarter if later ones are too
  /// young.
  private func cut(_ contents: StreamBounds, in stream: String) async throws(LogError) -> Int? {
    let limit = Timestamp(milliseconds: Timestamp.now.milliseconds - rules.age * 1000)
    for quarters in [3, 2, 1] {
      let cut = contents.first + (contents.last - contents.first + 1) * quarters / 4
      guard cut > contents.first,
        let message = try await store.reader.message(at: cut - 1, in: stream)
      else { continue }
      if rules.age <= 0 || message.isOlder(than: limit) { return cut }
    }
    return nil
  }

  // MARK: Sessions

  /// The sessions of a stream after their compaction.
  private struct Compacted {
    /// The sessions that need no message before the cut.
    var clean: [SessionKey] = []
    /// The number of sessions that got an anchor.
    var anchored = 0
    /// Whether no session needs the messages.
    var isComplete = true
  }

  private typealias Compaction = (key: SessionKey, result: Result<Bool, LogError>)

  /// Appends anchors for all sessions that need messages before a sequence.
  ///
  /// A session that cannot be compacted does not prevent that of others.
  ///
  /// - Returns: The sessions.
  /// - Throws: If most sessions cannot be compacted, for example because the brokers cannot be
  ///   reached.
  private func compactSessions(
    of number: Int, before cut: Int
  ) async throws(LogError) -> Compacted {
    // Shuffled, so that damaged sessions at the beginning do not end each pass.
    let keys = try await store.logSubjects(number).compactMap { StoreNames.session(of: $0) }
      .shuffled()
    let results = await withTaskGroup(of: Compaction.self) { group in
      var rest = keys[...]
      var results: [Compaction] = []
      var failures = 0
      for _ in 0..<rules.parallel { startNext(&rest, cut, in: &group) }
      for await compaction in group {
        results.append(compaction)
        if case .failure = compaction.result { failures += 1 }
        let mostFail = 2 * failures > results.count + rules.parallel
        if !mostFail { startNext(&rest, cut, in: &group) }
      }
      return results
    }
    var compacted = Compacted()
    var failures: [(key: SessionKey, error: LogError)] = []
    for (key, result) in results {
      switch result {
      case .success(let isAnchored):
        compacted.clean.append(key)
        if isAnchored { compacted.anchored += 1 }
      case .failure(let error): failures.append((key, error))
      }
    }
    guard let first = failures.first else { return compacted }
    store.engine.counters.uncleaned.add(failures.count)
    guard results.count == keys.count, failures.count < keys.count else { throw first.error }
    for (key, error) in failures.prefix(rules.parallel) {
      store.logger.warning(
        "a session was not cleaned",
        ["reactor": key.reactor, "session": key.id, "reason": error.reason])
    }
    compacted.isComplete = false
    return compacted
  }

  private func startNext(
    _ rest: inout ArraySlice<SessionKey>, _ cut: Int, in group: inout TaskGroup<Compaction>
  ) {
    guard let key = rest.popFirst() else { return }
    group.addTask { [self] in
      do throws(LogError) {
        return (key, .success(try await compact(key, before: cut)))
      } catch {
        return (key, .failure(error))
      }
    }
  }

  /// Appends an anchor if the session needs messages before a sequence.
  ///
  /// - Returns: Whether an anchor was appended.
  func compact(_ key: SessionKey, before cut: Int) async throws(LogError) -> Bool {
    let history = store.history(of: key)
    // A round fails if the writer of the session is faster, or another process appends an anchor.
    for _ in 0..<100 {
      let isDone: Bool? = try await history.withHead { head async throws(LogError) in
        let needed = head.status == .stored ? head.first : head.sequence
        guard head.sequence > 0, needed < cut else { return .some(false) }
        var compaction = try await SessionCompaction(key, head, in: store, hook: rules.hook)
        return try await anchor(key, head, &compaction) ? .some(true) : nil
      }
      if let isDone { return isDone }
    }
    throw .unavailable("The session \(key) is written to too often.")
  }

  /// Appends an anchor; follows the log while it grows.
  ///
  /// - Returns: Whether it was appended; `false` if another process was faster.
  private func anchor(
    _ key: SessionKey, _ head: SessionHead, _ compaction: inout SessionCompaction
  ) async throws(LogError) -> Bool {
    var head = head
    var isRetained = false
    for _ in 0..<20 {
      guard try await compaction.consume(head) else { return false }
      if !isRetained { try await compaction.retain(isThorough: true) }
      isRetained = true
      do throws(LogError) {
        try await store.append(compaction.anchor(after: head), of: key, expecting: head.sequence)
        try await compaction.deleteDropped()
        return true
      } catch {
        guard case .lost = error else { throw error }
      }
      head = try await store.history(of: key).head()
    }
    return false
  }
}

extension StreamMessage {
  /// Whether the stream has stored the message before a time; `false` if that is not known.
  func isOlder(than time: Timestamp) -> Bool {
    guard let stored = self.time, stored.hasSuffix("Z") else {
      return false
    }
    // The first 19 characters of both texts are the time in whole seconds.
    return stored.prefix(19) < time.description.prefix(19)
  }
}
