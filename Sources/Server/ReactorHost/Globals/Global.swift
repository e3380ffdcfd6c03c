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

  /// Sets the value for all sessions, when the host's log has committed it.
  ///
  /// Any thread.
  ///
  /// A value that the log rejects is not set; the host's log has a line about it.
  ///
  /// - Throws: An `EncodingError` if the value cannot be encoded as JSON; it is not set then.
  public func set(_ value: Value) throws {
    try set(value) { _ in }
  }

  /// Sets the value for all sessions, when the host's log has committed it.
  ///
  /// Any thread.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - completion: Called when the value is set and committed, or was rejected. Any thread, the
  ///     calling one included.
  /// - Throws: An `EncodingError` if the value cannot be encoded as JSON; it is not set then.
  public func set(
    _ value: Value,
    completion: @escaping @Sendable (Result<CommittedState, LogError>) -> Void
  ) throws {
    try set(value, where: { _ in true }, completion)
  }

  private func set(
    _ value: Value, where condition: @escaping @Sendable (Cursor) -> Bool,
    _ completion: @escaping @Sendable (Result<CommittedState, LogError>) -> Void
  ) throws {
    let json = try JSONCoder.encode(value)
    enqueue(
      { latest in
        guard condition(latest.state.cursor) else { throw LogError.conflict }
        return (value, json)
      }, completion)
  }

  /// Sets a value that depends on the current one, also if several processes set it at a time.
  ///
  /// - Parameters:
  ///   - change: Returns the next value, or `nil` to fail with `LogError.tooLarge`. Called again if another process was
  ///     first.
  ///   - completion: As for ``set(_:completion:)``; a value that cannot be encoded, or replaced because this
  ///     release cannot read it, is not set.
  package func update(
    _ change: @escaping @Sendable (Value) -> Value?,
    completion: @escaping @Sendable (Result<CommittedState, LogError>) -> Void
  ) {
    enqueue(
      { latest in
        guard !latest.isUnreadable else {
          throw LogError.unreadable(version: latest.version, reason: "")
        }
        guard let next = change(latest.value) else { throw LogError.tooLarge }
        return (next, try JSONCoder.encode(next))
      }, completion)
  }

  /// Returns the next value and its JSON.
  private typealias Change = @Sendable (Setting) throws -> (Value, [UInt8])

  private func enqueue(
    _ change: @escaping Change,
    _ completion: @escaping @Sendable (Result<CommittedState, LogError>) -> Void
  ) {
    let isAccepted = state.withLock { state in
      guard state.pending < Self.pendingBound else { return false }
      state.pending += 1
      return true
    }
    guard isAccepted else {
      return completion(.failure(.unavailable("Too many values wait to be set.")))
    }
    // Write one value at a time, so that values are published in the order of the log.
    writes.enqueue { [self] done in
      write(change) { [self] result in
        state.withLock { $0.pending -= 1 }
        respond(result, completion)
        notify()
        done()
      }
    }
  }

  /// Calls the completion: in a cluster after the other processes have applied the value, otherwise
  /// immediately.
  ///
  /// Further values are written meanwhile.
  private func respond(
    _ result: Result<CommittedState, LogError>,
    _ completion: @escaping @Sendable (Result<CommittedState, LogError>) -> Void
  ) {
    guard case .success = result, let router = router.withLock({ $0 }) else {
      return completion(result)
    }
    router.didSet(name) { completion(result) }
  }

  private func write(
    _ change: @escaping Change,
    completion: @escaping @Sendable (Result<CommittedState, LogError>) -> Void
  ) {
    let latest = state.withLock { $0.latest }
    let (value, json): (Value, [UInt8])
    do {
      (value, json) = try change(latest)
    } catch {
      return completion(.failure(error as? LogError ?? .corrupt("\(error)")))
    }
    // Random instead of a counter: sessions store the revision, which must not repeat after a
    // restart.
    let next = Setting(
      value: value, json: json, epoch: latest.epoch, version: latest.version + 1,
      revision: UInt64.random(in: 1...UInt64(Int64.max)))
    guard let (log, logger) = store.withLock({ $0 }) else {
      publish(next)
      return completion(.success(next.state))
    }
    log.share(next.stored, as: name) { [self] result in
      switch result {
      case .success:
        publish(next)
        completion(.success(next.state))
      case .failure(.lost):
        // Another process has set the global: read its value, and write this one as its successor.
        do throws(LogError) {
          try reload(from: log, logger)
        } catch {
          return completion(.failure(error))
        }
        write(change, completion: completion)
      case .failure(let error):
        logger.error("global was not set", ["global": name, "error": "\(error)"])
        completion(.failure(error))
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

  package func refresh(completion: @escaping @Sendable (Bool) -> Void) {
    guard let (log, logger) = store.withLock({ $0 }) else { return completion(true) }
    // Read between writes: a value that was read before a write must not be published after it.
    writes.enqueue { [self] done in
      let isRead = (try? reload(from: log, logger)) != nil
      notify()
      completion(isRead)
      done()
    }
  }

  /// Reads the value from the log, after the log has confirmed that its values are current, see
  /// `MutationLog.confirmReads()`.
  public func confirmCurrent() async throws(LogError) {
    guard router.withLock({ $0 }) != nil, let (log, _) = store.withLock({ $0 }) else { return }
    try log.confirmReads()
    let isRead = await withCheckedContinuation { continuation in
      refresh { continuation.resume(returning: $0) }
    }
    guard isRead else { throw .unavailable("The global \(name) cannot be read.") }
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
    json: [UInt8], where condition: @escaping @Sendable (Cursor) -> Bool = { _ in true },
    completion: @escaping @Sendable (Result<CommittedState, LogError>) -> Void
  ) throws(ActionDecodingError) {
    do {
      let document = try JSONDocument(
        parsing: json, depthLimit: JSONDocument.embeddedDepthLimit)
      try set(JSONCoder.decode(Value.self, from: document.root), where: condition, completion)
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
