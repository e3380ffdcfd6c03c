internal import NATSClient
internal import ReactorLog
internal import Synchronization
internal import SystemThreads
internal import Telemetry

/// The changes of a store: records that one process at a time writes, from the messages of the logs.
///
/// ```
/// LOG, META ──► FeedWriter (the holder of the lease) ──► FEED ──► NATSFeed of each process ──► readers
/// ```
final class NATSFeed: StoreFeed {
  /// The time between two reads of the streams without a notification, in milliseconds.
  private static let interval = 250
  /// The number of the latest changes that are in memory.
  private static let bound = 4_096

  private struct State {
    /// The last record, with its sequence.
    var last: FeedReader.Positioned
    /// The number before the oldest retained change.
    var floor = 0
    /// The latest changes, without a gap.
    var latest: [StoreChange] = []
  }

  let store: String
  private let base: NATSStore
  private let reader: FeedReader
  private let writer: FeedWriter
  private let lease: Lease
  private let publisher: ChangePublisher
  private let state: Mutex<State>
  private let wakes: AsyncStream<Bool>
  private let waker: AsyncStream<Bool>.Continuation
  private let subscription: NATSSubscription
  private let notifiedAt = Atomic<Int64>(.min)

  /// Opens the feed; a missing one is created, and begins with the next change.
  ///
  /// - Parameters:
  ///   - base: The store.
  ///   - retention: How long changes are retained, in milliseconds.
  /// - Returns: The feed.
  /// - Throws: If the streams cannot be used.
  static func open(
    _ base: NATSStore, retaining retention: Int64
  ) async throws(LogError) -> NATSFeed {
    let reader = FeedReader(base)
    let writer = FeedWriter(base, reader, retention: retention)
    let last = try await writer.begin()
    let floor = try await reader.floor(of: last.record)
    do throws(NATSError) {
      return try NATSFeed(base, reader, writer, last, floor: floor)
    } catch {
      throw .unavailable("The notifications of changes cannot be subscribed: \(error)")
    }
  }

  private init(
    _ base: NATSStore, _ reader: FeedReader, _ writer: FeedWriter, _ last: FeedReader.Positioned,
    floor: Int
  ) throws(NATSError) {
    (self.base, self.reader, self.writer) = (base, reader, writer)
    store = last.record.store
    lease = Lease("feed", base.reader, base.names)
    publisher = ChangePublisher(latest: last.record.lastNumber)
    state = Mutex(State(last: last, floor: floor))
    let (wakes, waker) = AsyncStream.makeStream(
      of: Bool.self, bufferingPolicy: .bufferingNewest(1))
    (self.wakes, self.waker) = (wakes, waker)
    // `f`: the feed has grown; `c`: a process that does not write the feed has committed.
    subscription = try base.engine.connection.subscribe(to: "\(base.names.prefix).n.*") { _ in
      waker.yield(true)
    }
  }

  deinit { waker.finish() }

  /// Ends reading and writing.
  func stop() { waker.finish() }

  /// Reads and writes until the feed is stopped.
  func start() {
    let (waker, wakes) = (waker, wakes)
    base.executor.detach {
      // ``stop()`` finishes the stream of wakes, which ends the loop.
      while true {
        if case .terminated = waker.yield(false) { return }
        try? await Task.sleep(for: .milliseconds(Self.interval))
      }
    }
    base.executor.detach { [weak self] in
      for await _ in wakes {
        guard let self else { return }
        await turn()
      }
    }
  }

  private func turn() async {
    do throws(LogError) {
      if await lease.hold() {
        try await write()
      } else {
        try await follow()
      }
    } catch {
      base.logger.warning("the feed of changes is behind", ["reason": error.reason])
    }
  }

  // MARK: Writing

  /// Writes records until there are no changes.
  private func write() async throws(LogError) {
    while true {
      let last = state.withLock { $0.last }
      guard let next = try await writer.next(after: last) else { break }
      do throws(LogError) {
        let sequence = try await writer.append(next, after: last.sequence)
        add([(sequence, next)])
        try? base.engine.connection.publish([], to: "\(base.names.prefix).n.f")
      } catch {
        guard case .lost = error else { throw error }
        // Another process writes as well.
        try await follow()
      }
    }
    let last = state.withLock { $0.last }
    if let floor = try await writer.deleteExpired(upTo: last) {
      state.withLock { $0.floor = max($0.floor, floor) }
    }
  }

  /// Reads the records of another process.
  private func follow() async throws(LogError) {
    let known = state.withLock { $0.last }
    guard let last = try await reader.last(), last.sequence > known.sequence else { return }
    let number = known.record.lastNumber
    // If there are more changes than fit into memory, readers read them from the stream.
    if last.record.lastNumber - number <= Self.bound {
      add(try await reader.records(of: last, after: number, upTo: last.record.lastNumber))
    }
    add([last])
    let floor = try await reader.floor(of: last.record)
    state.withLock { $0.floor = max($0.floor, floor) }
  }

  /// Publishes records in order; those that are known already are ignored.
  private func add(_ records: [FeedReader.Positioned]) {
    var latest = 0
    state.withLock { state in
      for record in records where record.sequence > state.last.sequence {
        if record.record.number != state.last.record.lastNumber { state.latest = [] }
        state.latest += record.record.changes
        state.last = record
      }
      state.latest.removeFirst(max(0, state.latest.count - Self.bound))
      latest = state.last.record.lastNumber
    }
    publisher.publish(latest)
  }

  /// A message of this process was committed.
  func didCommit() {
    waker.yield(true)
    // Notify the process that writes the feed, at most every 20 ms, unless this process writes it.
    let now = Clock.milliseconds
    let last = notifiedAt.load(ordering: .relaxed)
    guard now - 20 > last, !lease.isHeld,
      notifiedAt.compareExchange(expected: last, desired: now, ordering: .relaxed).exchanged
    else { return }
    try? base.engine.connection.publish([], to: "\(base.names.prefix).n.c")
  }

  /// The sequence of a LOG stream up to which the changes are in the feed; 0 if a damaged record does
  /// not contain it.
  func position(of stream: Int) -> Int {
    let positions = state.withLock { $0.last.record.positions }
    return positions.indices.contains(stream) ? positions[stream] : 0
  }

  // MARK: Reading

  var latest: Int { publisher.latest }

  func floor() -> Int { state.withLock { $0.floor } }

  func changes(after number: Int, limit: Int) throws(LogError) -> [StoreChange] {
    let latest = latest
    let (start, inMemory, last) = state.withLock { state in
      (max(number, state.floor), state.latest, state.last)
    }
    guard start < latest, limit > 0 else { return [] }
    if let first = inMemory.first, first.number <= start + 1 {
      let rest = inMemory.dropFirst(start + 1 - first.number)
      return Array(rest.prefix(limit).prefix { $0.number <= latest })
    }
    let stop = min(latest, start + limit)
    return try base.executor.wait { [reader] () async throws(LogError) in
      let records = try await reader.records(of: last, after: start, upTo: stop)
      return records.flatMap(\.record.changes).filter { (start + 1...stop).contains($0.number) }
    }
  }

  func observe(_ observer: any ChangeObserver) { publisher.add(observer) }

  func stopObserving(_ observer: any ChangeObserver) { publisher.remove(observer) }
}
