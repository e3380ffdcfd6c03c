internal import NATSClient
internal import ReactorCoding
public import ReactorLog
internal import Synchronization
internal import Telemetry

/// The actions and sessions of a store that crashed a process: no process that shares the store executes
/// them.
///
/// They are records of META. Each process has all of them in memory; it reads them again when another
/// process has changed them, and every five seconds.
public final class StoredQuarantine: Sendable {
  /// An entry.
  public struct Entry: Equatable, Sendable {
    /// The session.
    public let session: SessionKey

    /// The digest of the action; 0 for the session itself.
    public let digest: UInt64

    /// The prefix of the action's JSON, or `nil` if the session itself is quarantined.
    public let action: String?

    /// The time at which the crash was noticed.
    public let at: Timestamp

    /// The signal of the crash, such as `SIGILL`.
    public let signal: String

    /// Creates an entry.
    public init(
      session: SessionKey, digest: UInt64, action: String?, at: Timestamp, signal: String
    ) {
      self.session = session
      self.digest = digest
      self.action = action
      self.at = at
      self.signal = signal
    }
  }

  private struct Name: Hashable {
    let session: SessionKey
    let digest: UInt64
  }

  /// The maximum number of entries; beyond it, the oldest entries are removed.
  public static let bound = 1_024
  private static let interval = 5

  private let store: NATSStore
  private let contents = Mutex<[Name: (entry: Entry, sequence: Int)]>([:])
  /// The number of reads that have begun.
  private let reads = Atomic(0)
  /// The latest read whose result is in memory; one that began before it has older records.
  private let latestRead = Mutex(0)
  private let count = Atomic(0)
  private let subscription = Mutex<NATSSubscription?>(nil)

  init(_ store: NATSStore) {
    self.store = store
  }

  /// Reads the entries, and follows their changes until the object is released.
  func start() async throws(LogError) {
    do throws(NATSError) {
      let subject = "\(store.names.prefix).m.q"
      let created = try store.engine.connection.subscribe(to: subject) { [weak self] _ in
        guard let self else { return }
        store.executor.detach { [weak self] in try? await self?.read() }
      }
      subscription.withLock { $0 = created }
    } catch {
      throw .unavailable("The quarantine cannot be subscribed: \(error)")
    }
    try await read()
    store.executor.detach { [weak self] in
      while true {
        try? await Task.sleep(for: .seconds(Self.interval))
        guard let self else { return }
        try? await read()
      }
    }
  }

  func stop() { subscription.withLock { $0 = nil } }

  // MARK: Reading

  /// Whether nothing is quarantined; may be called on any thread.
  public var isEmpty: Bool { count.load(ordering: .relaxed) == 0 }

  /// Whether an action of a session, or the session itself, is quarantined.
  ///
  /// Takes no lock while nothing is quarantined. Can be called on any thread.
  public func contains(_ session: SessionKey, _ digest: UInt64) -> Bool {
    guard !isEmpty else { return false }
    return contents.withLock { $0[Name(session: session, digest: digest)] != nil }
  }

  /// The entries, the oldest first.
  public var entries: [Entry] {
    contents.withLock { contents in
      contents.values.sorted { $0.sequence < $1.sequence }.map(\.entry)
    }
  }

  /// Reads all entries.
  private func read() async throws(LogError) {
    let number = reads.add(1, ordering: .relaxed).newValue
    let subjects = try await store.reader.subjects(
      of: store.names.meta, matching: "\(store.names.prefix).q.>")
    let (reader, meta) = (store.reader, store.names.meta)
    let messages = try await Concurrently.values(subjects) {
      subject async throws(LogError) in
      try await reader.last(subject, in: meta)
    }
    var found: [Name: (entry: Entry, sequence: Int)] = [:]
    for message in messages {
      guard let message, let entry = Entry(record: message.payload) else {
        continue
      }
      found[Name(session: entry.session, digest: entry.digest)] = (entry, message.sequence)
    }
    latestRead.withLock { latest in
      guard number > latest else { return }
      latest = number
      contents.withLock { $0 = found }
      count.store(found.count, ordering: .relaxed)
    }
  }

  // MARK: Writing

  /// Adds entries; beyond the bound, the oldest ones are removed.
  public func add(_ entries: [Entry]) async throws(LogError) {
    for entry in entries {
      let reply = AppendReply(
        try await store.engine.request(entry.record, to: subject(of: entry)))
      guard case .stored = reply else {
        throw .unavailable("An entry of the quarantine was not stored: \(reply)")
      }
    }
    try await read()
    let surplus = self.entries.dropLast(Self.bound)
    try await remove(Array(surplus))
  }

  /// Removes all entries.
  ///
  /// - Returns: Their number.
  @discardableResult
  public func clear() async throws(LogError) -> Int {
    try await read()
    let all = entries
    try await remove(all)
    return all.count
  }

  /// Removes all entries from memory, and then, asynchronously, from the store.
  public func clearLater() {
    let all = entries
    contents.withLock { $0 = [:] }
    removeLater(all)
  }

  /// Removes the entries of a session asynchronously.
  ///
  /// Costs nothing while nothing is quarantined.
  public func removeLater(_ session: SessionKey) {
    guard count.load(ordering: .relaxed) > 0 else { return }
    removeLater(entries.filter { $0.session == session })
  }

  private func removeLater(_ entries: [Entry]) {
    guard !entries.isEmpty else { return }
    store.executor.detach { [self] in
      do throws(LogError) {
        try await remove(entries)
      } catch {
        store.logger.warning("the quarantine was not changed", ["reason": error.reason])
      }
    }
  }

  private func remove(_ entries: [Entry]) async throws(LogError) {
    for entry in entries {
      let found = try await store.reader.last(subject(of: entry), in: store.names.meta)
      if let found { try await store.reader.delete(found.sequence, in: store.names.meta) }
    }
    try await read()
    try? store.engine.connection.publish([], to: "\(store.names.prefix).m.q")
  }

  private func subject(of entry: Entry) -> String {
    let key = entry.session
    return "\(store.names.prefix).q.\(StoreNames.escaped(key.reactor))"
      + ".\(StoreNames.escaped(key.id)).\(String(entry.digest, radix: 16))"
  }
}

extension StoredQuarantine.Entry {
  // `f` format · `r` reactor · `i` session · `d` digest · `a` action · `t` time · `s` signal
  var record: [UInt8] {
    var text: [UInt8] = []
    text.put("{\"f\":1,\"r\":", string: session.reactor)
    text.put(",\"i\":", string: session.id)
    text.put(",\"d\":", string: String(digest, radix: 16))
    if let action { text.put(",\"a\":", string: action) }
    text.put(",\"t\":", at.milliseconds)
    text.put(",\"s\":", string: signal)
    text.put("}")
    return text
  }

  init?(record: [UInt8]) {
    guard let root = try? JSONDocument(parsing: record).root, root["f"]?.integer() == 1,
      let reactor = root["r"]?.string, let id = root["i"]?.string,
      let digest = root["d"]?.string.flatMap({ UInt64($0, radix: 16) }),
      let at = root["t"]?.integer(as: Int64.self), let signal = root["s"]?.string
    else { return nil }
    self.init(
      session: SessionKey(reactor: reactor, id: id), digest: digest, action: root["a"]?.string,
      at: Timestamp(milliseconds: at), signal: signal)
  }
}
