internal import ReactorLog
internal import ReactorSessions
internal import Shares
internal import Synchronization

/// The source of the streams of a session that does not exist.
///
/// It has the State with which the session would begin, see ``FirstState``, until an action or a request creates the session. From then on, it
/// publishes the States of the session. It never creates or stores a session itself.
final class AbsentSession: SessionSource {
  fileprivate enum Event {
    case commit(CommittedState)
    case end(SessionEnd)
  }

  fileprivate struct State {
    var initial: CommittedState?
    /// The session, after its creation.
    var session: LiveSession?
    var hasEnded = false
    var observers: [any SessionObserver] = []
    var activityObservers: [any ActivityObserver] = []
    var signalObservers: [any SignalObserver] = []
    var subscribers = SubscriberTable()
    /// Events that arrived while a thread publishes one.
    var pending: [Event] = []
    var isPublishing = false
  }

  let key: SessionKey
  let environment: ReactorEnvironment
  private let state = Mutex(State())

  init(_ key: SessionKey, environment: ReactorEnvironment) {
    self.key = key
    self.environment = environment
  }

  deinit {
    environment.absent.remove(self)
  }

  /// Sets the initial State.
  ///
  /// - Returns: The source of the streams: the session, if it was created meanwhile.
  func begin(with initial: CommittedState) -> any SessionSource {
    state.withLock { state in
      state.initial = initial
      return state.session ?? self
    }
  }

  /// Whether neither the creation nor the deletion of the session was reported.
  fileprivate var isAbsent: Bool { state.withLock { $0.isAbsent } }

  /// Whether the source has its initial State, and the session is absent.
  fileprivate var hasBegun: Bool { state.withLock { $0.isAbsent && $0.initial != nil } }

  // MARK: The session

  /// The session was created.
  func attach(_ session: LiveSession) {
    // The initial State is valid only for the default parameters and the first epoch. A State that
    // mutations have changed has version 0 of another history: every version after it is new.
    let isSame =
      session.epoch == Epoch.first(of: key)
      && session.parameters == environment.witness.parameters?.defaults
    guard isSame else { return end(.interrupted) }
    // Hold the lock while the session adds the observers, so that `base` is pending before a commit
    // is published, and a subscriber that leaves is removed from the session.
    let attached = state.withLock { state -> (isPresenceDue: Bool, hasActivityObservers: Bool)? in
      guard state.isAbsent else { return nil }
      if !state.observers.isEmpty {
        guard let base = session.observe(self) else { return nil }
        if base.version > 0 { state.pending.append(.commit(base)) }
      }
      state.session = session
      return state.moveSubscribers(to: session)
    }
    guard let attached else { return end(.interrupted) }
    environment.absent.remove(self)
    if attached.isPresenceDue { session.schedulePublication() }
    if attached.hasActivityObservers { session.publishActivity() }
    publishPending()
  }

  /// Ends the streams: the session was deleted, or was created with another initial State.
  func end(_ end: SessionEnd) {
    let isEnd = state.withLock { state in
      guard state.isAbsent else { return false }
      state.hasEnded = true
      state.pending.append(.end(end))
      return true
    }
    guard isEnd else { return }
    environment.absent.remove(self)
    publishPending()
  }

  /// Publishes the pending events, unless another thread does.
  private func publishPending() {
    let isFirst = state.withLock { state in
      defer { state.isPublishing = true }
      return !state.isPublishing
    }
    guard isFirst else { return }
    while let (event, observers) = state.withLock({ $0.next() }) {
      Self.publish(event, to: observers)
    }
  }

  /// Publishes an event after the pending ones: ``attach(_:)`` can have enqueued an earlier State.
  private func publish(_ event: Event) {
    state.withLock { $0.pending.append(event) }
    publishPending()
  }

  private static func publish(_ event: Event, to observers: [any SessionObserver]) {
    for observer in observers {
      switch event {
      case .commit(let committed): observer.sessionDidCommit(committed)
      case .end(let end): observer.sessionDidEnd(end)
      }
    }
  }

  // MARK: States

  private var session: LiveSession? {
    state.withLock { $0.session }
  }

  private var initial: CommittedState {
    state.withLock { $0.initial }
      ?? CommittedState(cursor: Cursor(epoch: Epoch.first(of: key), version: 0), json: [])
  }

  var epoch: String { current.cursor.epoch }

  var current: CommittedState { session?.current ?? initial }

  func state(at version: Int) async throws(HistoryError) -> CommittedState {
    if let session { return try await session.state(at: version) }
    guard version == 0 else { throw .unknownVersion(oldest: 0, latest: 0) }
    return initial
  }

  func replay(after version: Int?) async throws(HistoryError) -> any StateReplay {
    if let session { return try await session.replay(after: version) }
    guard version ?? 0 == 0 else { throw .unknownVersion(oldest: 0, latest: 0) }
    return ListReplay(version == nil ? [initial] : [])
  }

  func observe(_ observer: any SessionObserver) -> CommittedState? {
    let (session, hasEnded) = state.withLock { state in
      if state.isAbsent { state.observers.append(observer) }
      return (state.session, state.hasEnded)
    }
    if let session { return session.observe(observer) }
    return hasEnded ? nil : initial
  }

  func stopObserving(_ observer: any SessionObserver) {
    let (session, isLast) = state.withLock { state in
      let count = state.observers.count
      state.observers.removeAll { $0 === observer }
      return (state.session, count > 0 && state.observers.isEmpty)
    }
    session?.stopObserving(observer)
    if isLast { session?.stopObserving(self) }
  }

  // MARK: Subscribers and activity

  var subscriberCount: Int {
    let (session, own) = state.withLock { ($0.session, $0.subscribers.count) }
    return session?.subscriberCount ?? own
  }

  var presence: Presence {
    let (session, own) = state.withLock { ($0.session, $0.subscribers.snapshot) }
    return session?.presence ?? own.update.presence
  }

  func changeStreams(of owner: StreamOwner, by change: Int) -> Int {
    let (session, isDue, revision) = state.withLock { state -> (LiveSession?, Bool, Int) in
      if let session = state.session { return (session, false, 0) }
      let isDue = state.subscribers.change(owner, by: change)
      return (nil, isDue, state.subscribers.revision)
    }
    if let session { return session.changeStreams(of: owner, by: change) }
    environment.counts.subscribers.add(change, ordering: .relaxed)
    if isDue { schedulePublication() }
    return revision
  }

  func observePresence(_ observer: any PresenceObserver) {
    let (session, isDue) = state.withLock { state -> (LiveSession?, Bool) in
      (state.session, state.session == nil && state.subscribers.add(observer))
    }
    session?.observePresence(observer)
    if isDue { schedulePublication() }
  }

  func stopObservingPresence(_ observer: any PresenceObserver) {
    let session = state.withLock { state in
      state.subscribers.remove(observer)
      return state.session
    }
    session?.stopObservingPresence(observer)
  }

  func publish(_ signal: SessionSignal) {
    let (session, observers) = state.withLock { ($0.session, $0.signalObservers) }
    if let session { return session.publish(signal) }
    for observer in observers { observer.didReceive(signal) }
  }

  func observeSignals(_ observer: any SignalObserver) {
    let session = state.withLock { state in
      if state.session == nil { state.signalObservers.append(observer) }
      return state.session
    }
    session?.observeSignals(observer)
  }

  func stopObservingSignals(_ observer: any SignalObserver) {
    let session = state.withLock { state in
      state.signalObservers.removeAll { $0 === observer }
      return state.session
    }
    session?.stopObservingSignals(observer)
  }

  var activity: SessionActivity { session?.activity ?? SessionActivity() }

  func observeActivity(_ observer: any ActivityObserver) {
    let session = state.withLock { state in
      if state.session == nil { state.activityObservers.append(observer) }
      return state.session
    }
    session?.observeActivity(observer)
  }

  func stopObservingActivity(_ observer: any ActivityObserver) {
    let session = state.withLock { state in
      state.activityObservers.removeAll { $0 === observer }
      return state.session
    }
    session?.stopObservingActivity(observer)
  }
}

extension AbsentSession: HeldSource {
  var account: Account? { state.withLock { $0.session?.account } }
}

extension AbsentSession: SubscriberOwner {
  func withSubscribers<Result: Sendable>(_ body: (inout SubscriberTable) -> Result) -> Result {
    state.withLock { body(&$0.subscribers) }
  }
}

extension AbsentSession: SessionObserver {
  func sessionDidCommit(_ state: CommittedState) {
    publish(.commit(state))
  }

  func sessionDidEnd(_ end: SessionEnd) {
    publish(.end(end))
  }
}

extension AbsentSession.State {
  fileprivate var isAbsent: Bool { session == nil && !hasEnded }

  /// Moves the subscribers and the observers of activity and signals to the session.
  ///
  /// - Returns: Whether to publish the session's presence and activity.
  fileprivate mutating func moveSubscribers(
    to session: LiveSession
  ) -> (isPresenceDue: Bool, hasActivityObservers: Bool) {
    for observer in activityObservers { session.activityObservers.add(observer) }
    for observer in signalObservers { session.signalObservers.add(observer) }
    let isPresenceDue = session.withSubscribers { [subscribers] in $0.absorb(subscribers) }
    defer { (activityObservers, signalObservers, subscribers) = ([], [], SubscriberTable()) }
    return (isPresenceDue, !activityObservers.isEmpty)
  }

  /// Dequeues the next event, or ends the publication.
  fileprivate mutating func next() -> (AbsentSession.Event, [any SessionObserver])? {
    guard !pending.isEmpty else {
      isPublishing = false
      return nil
    }
    return (pending.removeFirst(), observers)
  }
}

/// The sessions of a reactor that do not exist and have streams, by id.
final class AbsentSessions: Sendable {
  private final class Entry {
    private(set) weak var session: AbsentSession?
    let identity: ObjectIdentifier

    init(_ session: AbsentSession) {
      self.session = session
      identity = ObjectIdentifier(session)
    }
  }

  private let entries = Mutex<[String: Entry]>([:])
  /// The number of entries, read without the lock, because most loads of sessions find none.
  private let count = Atomic<Int>(0)

  /// Returns the source of a session's streams, which the table does not retain.
  func source(of key: SessionKey, in environment: ReactorEnvironment) -> AbsentSession {
    // Release the source after the lock: its deinitializer takes the lock.
    var former: AbsentSession?
    defer { withExtendedLifetime(former) {} }
    return entries.withLock { entries in
      former = entries[key.id]?.session
      if let former, former.isAbsent { return former }
      let session = AbsentSession(key, environment: environment)
      entries[key.id] = Entry(session)
      count.store(entries.count, ordering: .sequentiallyConsistent)
      return session
    }
  }

  /// The ids of the sessions that were neither created nor deleted.
  var all: [String] {
    guard count.load(ordering: .sequentiallyConsistent) > 0 else { return [] }
    return entries.withLock { Array($0.keys) }
  }

  /// Returns the source that other streams of the session use, or `nil` if there is none.
  ///
  /// The log need not be read again: the source would have been notified of the session's creation.
  func begun(_ id: String) -> AbsentSession? {
    guard let source = find(id), source.hasBegun else { return nil }
    return source
  }

  /// Returns the source of a session that is being created or ended, or `nil` if it has no streams.
  func find(_ id: String) -> AbsentSession? {
    guard count.load(ordering: .sequentiallyConsistent) > 0 else { return nil }
    return entries.withLock { $0[id]?.session }
  }

  /// Returns whether a session that was neither created nor deleted has streams.
  func contains(_ id: String) -> Bool {
    find(id)?.isAbsent ?? false
  }

  /// Removes a source whose session was created or deleted, or that has no streams.
  fileprivate func remove(_ source: AbsentSession) {
    entries.withLock { entries in
      let id = source.key.id
      guard entries[id]?.identity == ObjectIdentifier(source) else { return }
      entries[id] = nil
      count.store(entries.count, ordering: .sequentiallyConsistent)
    }
  }
}
