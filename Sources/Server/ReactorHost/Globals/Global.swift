public import ReactorCoding
internal import ReactorLog
public import ReactorStreams
internal import Synchronization
internal import Telemetry

/// A value that all sessions of a host share.
///
/// A reactor merges it into its mutations.
///
/// ```swift
/// func transform(mutation: Observable<Mutation>) -> Observable<Mutation> {
///   .merge(mutation, currentUser.map(Mutation.setUser))
/// }
/// ```
///
/// A session that subscribes while its reactor is connected receives each value in a turn of its
/// own, like an action. A loaded session receives the current value again; the mutation that it causes
/// is stored once, and that of `null` only after another value.
public final class Global<Value: Codable & Sendable>: RefreshableGlobal, ObservableType {
  private struct Setting: Sendable {
    let value: Value
    let json: [UInt8]
    /// The name of the global's history.
    let epoch: String
    /// The number of times the global was set before.
    let version: Int
    /// Identifies the value across restarts; stored in the entries of the mutations that it causes.
    let revision: UInt64
    /// Whether the log has a value that this release cannot decode.
    ///
    /// `value` is used in this process then, and sessions do not receive it.
    var isUnreadable = false

    var isNull: Bool { json.elementsEqual("null".utf8) }

    var state: CommittedState {
      CommittedState(cursor: Cursor(epoch: epoch, version: version), json: json)
    }

    var stored: SharedValue {
      SharedValue(epoch: epoch, version: version, revision: revision, json: json)
    }
  }

  private struct State: Sendable {
    var latest: Setting
    /// The value that observers were notified of last.
    var published: Setting
    /// Values that are not published yet, in order.
    var unpublished: [Setting] = []
    var observers: [any SessionObserver] = []
    /// The number of values that wait for the log.
    var pending = 0
    /// The last version whose value another release has encoded otherwise.
    var former = -1

    mutating func takeUnpublished() -> (Setting, [any SessionObserver])? {
      guard !unpublished.isEmpty else { return nil }
      published = unpublished.removeFirst()
      return (published, observers)
    }
  }

  /// The value.
  public typealias Element = Value

  /// The name in addresses and in the log.
  public let name: String

  private let upgrade: JSONUpgrade?
  /// The initial value, whose members replace those that a stored value lacks.
  private let rootDefaults: JSONDocument?
  private let state: Mutex<State>
  private let settings: Broadcaster<Setting>
  private let store = Mutex<(log: any MutationLog, logger: Logger)?>(nil)
  private let router = Mutex<(any SessionRouter)?>(nil)
  private let writes = SerialAsyncQueue()
  /// The maximum number of values that wait for the log.
  private static var pendingBound: Int { 10_000 }
  /// The maximum number of values that wait for the observers.
  private static var unpublishedBound: Int { 1_000 }
  /// Publishes the values one at a time and in order, whichever threads set them.
  private let publications = SerialQueue<Void>()

  /// Creates a global with its initial value.
  ///
  /// - Parameters:
  ///   - name: The name in addresses and in the log.
  ///   - value: The initial value. A member that a stored value of an earlier release lacks has the value
  ///     of its member.
  ///   - upgrade: Converts a value that an earlier release stored.
  public init(_ name: String, _ value: Value, upgrade: JSONUpgrade? = nil) {
    self.name = name
    self.upgrade = upgrade
    rootDefaults = JSONCoder.rootDefaults(value)
    let json = (try? JSONCoder.encode(value)) ?? Array("null".utf8)
    let setting = Setting(
      value: value, json: json, epoch: Epoch.random(), version: 0, revision: 0)
    state = Mutex(State(latest: setting, published: setting))
    settings = Broadcaster(replay: 1, seed: [setting])
  }

  /// The current value.
  public var value: Value {
    state.withLock { $0.latest.value }
  }

  /// Whether this release cannot decode the stored value.
  ///
  /// ``value`` is the initial value then, or the previous one, which no session receives.
  public var isUnreadable: Bool {
    state.withLock { $0.latest.isUnreadable }
  }

  /// The number of observers.
  package var observerCount: Int {
    settings.observerCount
  }

  /// The current value, as JSON.
  public var current: CommittedState {
    state.withLock { $0.latest }.state
  }

  /// The last version whose value clients may hold in the form of another release; -1 for none.
  public var formerVersion: Int {
    state.withLock { $0.former }
  }

  /// The JSON Schema of the value, derived from its type.
  public var schema: [UInt8] {
    JSONSchema.derive(Value.self, for: .input).bytes
  }

  /// Sets the value for all sessions, when the host's log has committed it, and does not wait for that.
  ///
  /// Any thread. A value that the log rejects is not set; the host's log has a line about it.
  ///
  /// - Throws: An `EncodingError` if the value cannot be encoded as JSON; it is not set then.
  public func set(_ value: Value) throws {
    let json = try JSONCoder.encode(value)
    // Begins on this thread, so that values are set in the order of the calls. Detached, since the rest is not
    // a part of the turn or of the commit in which the value is set.
    Task.immediateDetached { [self] in _ = try? await change { _ in (value, json) } }
  }

  /// Sets the value for all sessions, and waits until it is committed.
  ///
  /// - Parameter value: The value.
  /// - Returns: The value and its cursor.
  /// - Throws: An `EncodingError` if the value cannot be encoded as JSON, or the `LogError` with which the
  ///   log rejects it; it is not set then.
  @discardableResult
  public func set(_ value: Value) async throws -> CommittedState {
    try await set(value) { _ in true }
  }

  private func set(
    _ value: Value, where condition: (Cursor) -> Bool
  ) async throws -> CommittedState {
    let json = try JSONCoder.encode(value)
    return try await change { latest throws(LogError) in
      guard condition(latest.state.cursor) else { throw .conflict }
      return (value, json)
    }
  }

  /// Sets a value that depends on the current one, also if several processes set it at a time.
  ///
  /// - Parameter next: Returns the next value, or `nil` to fail with `LogError.tooLarge`. Called again if another
  ///   process was first.
  /// - Throws: The error of the log; a value that cannot be encoded, or replaced because this release cannot
  ///   read it, is not set.
  package func update(_ next: (Value) -> Value?) async throws(LogError) {
    _ = try await change { latest throws(LogError) in
      guard !latest.isUnreadable else { throw .unreadable(version: latest.version, reason: "") }
      guard let next = next(latest.value) else { throw .tooLarge }
      do { return (next, try JSONCoder.encode(next)) } catch { throw .corrupt("\(error)") }
    }
  }

  /// Returns the next value and its JSON.
  private typealias Change = (Setting) throws(LogError) -> (Value, [UInt8])

  /// Sets the next value: in a cluster returns after the other processes have applied it.
  private func change(_ next: Change) async throws(LogError) -> CommittedState {
    try state.withLock { state throws(LogError) in
      guard state.pending < Self.pendingBound else {
        throw .unavailable("Too many values wait to be set.")
      }
      state.pending += 1
    }
    // Write one value at a time, so that values are published in the order of the log.
    let committed = try await writes.execute { () throws(LogError) in
      defer {
        state.withLock { $0.pending -= 1 }
        notify()
      }
      return try await write(next)
    }
    await router.withLock { $0 }?.didSet(name)
    return committed
  }

  private func write(_ change: Change) async throws(LogError) -> CommittedState {
    while true {
      let latest = state.withLock { $0.latest }
      let (value, json) = try change(latest)
      // Random instead of a counter: sessions store the revision, which must not repeat after a
      // restart.
      let next = Setting(
        value: value, json: json, epoch: latest.epoch, version: latest.version + 1,
        revision: UInt64.random(in: 1...UInt64(Int64.max)))
      guard let (log, logger) = store.withLock({ $0 }) else {
        publish(next)
        return next.state
      }
      do throws(LogError) {
        try await log.share(next.stored, as: name)
        publish(next)
        return next.state
      } catch .lost {
        // Another process has set the global: read its value, and write this one as its successor.
        try reload(from: log, logger)
      } catch {
        logger.error("global was not set", ["global": name, "error": "\(error)"])
        throw error
      }
    }
  }

  /// Sets the current value; ``notify()`` publishes it to the observers.
  private func publish(_ setting: Setting) {
    state.withLock { state in
      state.latest = setting
      state.unpublished.append(setting)
      // Observers that are slower than the writers skip values.
      if state.unpublished.count > Self.unpublishedBound { state.unpublished = [setting] }
    }
  }

  /// Notifies the observers of the values that are set: now, or on a queue if there are many.
  private func notify() {
    let count = state.withLock { $0.observers.count } + settings.observerCount
    guard count > ManyObservers.bound else {
      publications.post((), handle: publishNext)
      return
    }
    ManyObservers.queue.async {
      Broadcast.$current.withValue(Broadcast()) {
        _ = self.publications.post((), handle: self.publishNext)
      }
    }
  }

  /// Publishes a value that the log has.
  ///
  /// A value that this release cannot decode stays in the log, and sessions keep the one they have.
  private func publishReadable(_ stored: SharedValue, _ logger: Logger) {
    func setting(_ value: Value, _ json: [UInt8], isUnreadable: Bool = false) -> Setting {
      Setting(
        value: value, json: json, epoch: stored.epoch, version: stored.version,
        revision: stored.revision, isUnreadable: isUnreadable)
    }
    do {
      let value = try (upgrade ?? []).decode(
        Value.self, from: stored.json, rootDefaults: rootDefaults)
      let json = try JSONCoder.encode(value)
      if json != stored.json { state.withLock { $0.former = stored.version } }
      publish(setting(value, json))
    } catch {
      logger.error(
        "global cannot be read by this release",
        ["global": name, "reason": UnreadableReason.text(of: error)])
      let latest = state.withLock { $0.latest }
      publish(setting(latest.value, latest.json, isUnreadable: true))
    }
  }

  /// Stores the value in a log from now on, and restores the value that the log has.
  ///
  /// A host calls this before its sessions are used.
  public func keep(in log: any MutationLog, logger: Logger) {
    store.withLock { $0 = (log, logger) }
    do throws(LogError) {
      if let stored = try log.sharedValue(name) { publishReadable(stored, logger) }
      notify()
    } catch {
      logger.error(
        "global cannot be read and has its initial value", ["global": name, "error": "\(error)"])
    }
  }

  package var revision: UInt64 { state.withLock { $0.latest.revision } }

  package func share(through router: any SessionRouter) {
    self.router.withLock { $0 = router }
  }

  package func refresh() async -> Bool {
    guard let (log, logger) = store.withLock({ $0 }) else { return true }
    // Read between writes: a value that was read before a write must not be published after it.
    return await writes.execute {
      defer { notify() }
      return (try? reload(from: log, logger)) != nil
    }
  }

  /// Reads the value from the log, after the log has confirmed that its values are current, see
  /// `MutationLog.confirmReads()`.
  public func confirmCurrent() async throws(LogError) {
    guard router.withLock({ $0 }) != nil, let (log, _) = store.withLock({ $0 }) else { return }
    try log.confirmReads()
    guard await refresh() else { throw .unavailable("The global \(name) cannot be read.") }
  }

  /// Reads the value, and publishes it if its revision is new.
  private func reload(from log: any MutationLog, _ logger: Logger) throws(LogError) {
    publishIfNew(try log.sharedValue(name), logger)
  }

  private func publishIfNew(_ stored: SharedValue?, _ logger: Logger) {
    guard let stored, stored.revision != state.withLock({ $0.latest.revision }) else { return }
    publishReadable(stored, logger)
  }

  private func publishNext(_: Void) {
    while let (next, observers) = state.withLock({ $0.takeUnpublished() }) {
      settings.send(.next(next))
      guard !next.isUnreadable else { continue }
      for observer in observers { observer.sessionDidCommit(next.state) }
    }
  }

  /// Sets the value from JSON, if a condition holds.
  public func set(
    json: [UInt8], where condition: (Cursor) -> Bool = { _ in true }
  ) async throws -> CommittedState {
    do {
      let document = try JSONDocument(
        parsing: json, depthLimit: JSONDocument.embeddedDepthLimit)
      return try await set(
        JSONCoder.decode(Value.self, from: document.root), where: condition)
    } catch let error as LogError {
      throw error
    } catch {
      throw ActionDecodingError(error, orElse: "The value cannot be set.")
    }
  }

  /// Observes the value, beginning with the current one.
  ///
  /// - Returns: A disposable that cancels the subscription.
  public func subscribe(_ observer: any ObserverType<Value>) -> any Disposable {
    guard let context = CurrentSerialContext.value as? any GlobalContext else {
      return settings.subscribe(
        AnyObserver { event in
          guard case .next(let setting) = event, !setting.isUnreadable else { return }
          observer.on(.next(setting.value))
        })
    }
    let observation = context.beginObservation(of: name)
    let seen = Mutex(-1)
    @Sendable func deliver(_ setting: Setting) {
      guard !setting.isUnreadable else { return }
      let value = OutsideValue(revision: setting.revision, isNull: setting.isNull) {
        seen.withLock { seen in
          defer { seen = max(seen, setting.version) }
          return setting.version > seen
        }
      }
      context.deliver(value, to: observation) { observer.on(.next(setting.value)) }
    }
    // A value that was acknowledged, of which the observers have not been notified yet: before the earlier one, which
    // the session then ignores.
    let (latest, published) = state.withLock { ($0.latest, $0.published) }
    if latest.version != published.version { deliver(latest) }
    let subscription = settings.subscribe(
      AnyObserver { event in
        if case .next(let setting) = event { deliver(setting) }
      })
    return Disposables.create {
      subscription.dispose()
      context.end(observation)
    }
  }
}

/// A global as a source of states. It has no history: only the current value is available.
extension Global {
  /// Returns the current value; fails for any version other than the current one.
  public func state(at version: Int) async throws(HistoryError) -> CommittedState {
    let current = current
    guard version == current.version else {
      throw .unknownVersion(oldest: current.version, latest: current.version)
    }
    return current
  }

  /// Returns an empty replay for the current version; fails for any other version.
  ///
  /// Without a version, replays the current value if its version is 0.
  public func replay(after version: Int?) async throws(HistoryError) -> any StateReplay {
    let current = try await state(at: version ?? 0)
    return ListReplay(version == nil ? [current] : [])
  }

  /// Adds an observer of the values that are set from now on.
  public func observe(_ observer: any SessionObserver) -> CommittedState? {
    state.withLock { state in
      state.observers.append(observer)
      return state.published
    }.state
  }

  /// Removes an observer.
  public func stopObserving(_ observer: any SessionObserver) {
    state.withLock { state in
      if let index = state.observers.firstIndex(where: { $0 === observer }) {
        state.observers.remove(at: index)
      }
    }
  }

  /// Does nothing: no list shows the subscribers of a global.
  public func changeStreams(of owner: StreamOwner, by change: Int) -> Int { 0 }
}
