internal import ReactorCore
internal import ReactorHost
internal import ReactorLog
internal import Synchronization

/// A session that another node owns, for clients of this one.
///
/// Its current State is the last one that the owner has replied or published. Each request that reads
/// the session opens it at the owner first, which updates the State.
final class RemoteSession: SubmissionTarget {
  fileprivate struct State {
    var image: SessionImage
    var observers: [any SessionObserver] = []
    var presenceObservers: [any PresenceObserver] = []
    var signalObservers: [any SignalObserver] = []
    var activityObservers: [any ActivityObserver] = []
    var activity = SessionActivity()
    /// The node that replied last.
    var owner: NodeID
    /// The streams of this node, per owner.
    var streams: [StreamOwner: Int] = [:]
    var revision = 0
    /// The states to publish, in order, each with the observers at the time of its arrival.
    var enqueued: [(CommittedState, [any SessionObserver])] = []
    var isPublishing = false
    var hasEnded = false
    /// Whether a report of the streams is scheduled.
    var isReportDue = false
    var creationIsTaken = false
  }

  /// The time from a change of the streams to its report to the owner.
  private static let reportInterval = Duration.milliseconds(10)

  let key: SessionKey
  let epoch: String
  let parameters: [UInt8]?
  let node: ClusterNode
  private let state: Mutex<State>

  init(_ key: SessionKey, _ image: SessionImage, of owner: NodeID, at node: ClusterNode) {
    self.key = key
    self.node = node
    epoch = image.current.cursor.epoch
    parameters = image.parameters
    state = Mutex(State(image: image, owner: owner))
  }

  var current: CommittedState { state.withLock { $0.image.current } }

  var lastActiveAt: Timestamp { state.withLock { $0.image.lastActiveAt } }

  /// Whether a commit of the session is known to this node.
  var isStored: Bool { current.version > 0 }

  func takeCreation() -> Bool {
    state.withLock { state in
      guard state.image.current.version > 0, !state.creationIsTaken else { return false }
      state.creationIsTaken = true
      return true
    }
  }

  var subscriberCount: Int { presence.count }

  /// Updates the session with a reply of its owner.
  func update(_ image: SessionImage, of owner: NodeID) {
    state.withLock { state in
      state.owner = owner
      state.image.lastActiveAt = image.lastActiveAt
      state.image.presence = image.presence
      state.enqueue(image.current)
    }
    publishEnqueued()
  }

  /// Confirms the State with the owner of the session.
  ///
  /// Fails with `LogError.lost` if this node owns the session in the meantime, or if the session
  /// has another epoch. The caller must then request the session again.
  func confirmCurrent(completion: @escaping @Sendable (Result<Void, LogError>) -> Void) {
    node.call(.confirm, of: key) { [self] result in
      switch result {
      case .success(.opened(let image, _), let owner):
        let isThis =
          owner.name != node.node.name && node.remoteSession(key, image, of: owner) === self
        completion(isThis ? .success(()) : .failure(.lost(to: owner)))
      case .success(.failed(.log(let error)), _): completion(.failure(error))
      case .success: completion(.failure(.conflict))
      case .failure(let error): completion(.failure(error))
      }
    }
  }

  // MARK: Actions

  func submit(
    _ body: [UInt8], ifAt expected: [Cursor]?, key: String?, for context: RequestContext?,
    accepted: (@Sendable (CommittedState) -> Void)?,
    completion: @escaping @Sendable (ActionOutcome) -> Void
  ) {
    submit(
      Submission(
        body: body, expected: expected, key: key.map { IdempotencyKey($0, for: body) },
        context: context),
      accepted: accepted, enqueued: nil, completion: completion)
  }

  func submit(
    _ submission: Submission, accepted: (@Sendable (CommittedState) -> Void)?,
    enqueued: (@Sendable () -> Void)?,
    completion: @escaping @Sendable (ActionOutcome) -> Void
  ) {
    // Later requests of this node are executed after this one: they reach the owner in the order of
    // these calls.
    defer { enqueued?() }
    node.submit(
      submission, to: key,
      accepted: { [self] committed in
        didCommit(committed)
        accepted?(committed)
      },
      completion: { [self] outcome in
        if case .committed(let committed) = outcome { didCommit(committed) }
        completion(outcome)
      })
  }

  /// Publishes a State that the owner has committed, so that the next response of this node
  /// contains it.
  private func didCommit(_ committed: CommittedState) {
    guard committed.cursor.epoch == epoch else { return }
    enqueue([committed])
    publishEnqueued()
  }

  // MARK: Observers

  func observe(_ observer: any SessionObserver) -> CommittedState? {
    let (base, isFirst) = state.withLock { state -> (CommittedState?, Bool) in
      guard !state.hasEnded else { return (nil, false) }
      state.observers.append(observer)
      return (state.image.current, state.observers.count == 1)
    }
    if isFirst { node.subscribe(self) }
    return base
  }

  func stopObserving(_ observer: any SessionObserver) {
    let isLast = state.withLock { state in
      let count = state.observers.count
      state.observers.removeAll { $0 === observer }
      return count > 0 && state.observers.isEmpty
    }
    if isLast { node.unsubscribe(self) }
  }

  /// Adds states that the owner has published.
  func enqueue(_ states: [CommittedState]) {
    state.withLock { state in
      for committed in states { state.enqueue(committed) }
    }
  }

  /// Publishes the enqueued states, on one thread at a time.
  func publishEnqueued() {
    while let (next, observers) = state.withLock({ $0.dequeue() }) {
      for observer in observers { observer.sessionDidCommit(next) }
      state.withLock { $0.isPublishing = false }
    }
  }

  /// Ends the streams: the session was deleted, or its subscription has ended.
  func end(_ end: SessionEnd) {
    let observers = state.withLock { state in
      defer { state.observers = [] }
      state.hasEnded = true
      return state.observers
    }
    for observer in observers { observer.sessionDidEnd(end) }
    if !observers.isEmpty { node.unsubscribe(self) }
  }

  // MARK: Streams and presence

  var presence: Presence { state.withLock { $0.image.presence } }

  func changeStreams(of owner: StreamOwner, by change: Int) -> Int {
    let (isDue, revision) = state.withLock { state -> (Bool, Int) in
      let streams = state.streams[owner, default: 0] + change
      state.streams[owner] = streams > 0 ? streams : nil
      state.revision += 1
      defer { state.isReportDue = true }
      return (!state.isReportDue, state.revision)
    }
    if isDue { scheduleReport() }
    return revision
  }

  private func scheduleReport() {
    Task { [self] in
      try? await Task.sleep(for: Self.reportInterval)
      reportStreams()
    }
  }

  /// Reports all streams of this node to the owner.
  func reportStreams() {
    let streams = state.withLock { state in
      state.isReportDue = false
      return state.streams
    }
    node.report(streams, of: key)
  }

  func observePresence(_ observer: any PresenceObserver) {
    let update = state.withLock { state in
      state.presenceObservers.append(observer)
      return PresenceUpdate(state.image.presence, revision: state.revision)
    }
    observer.presenceDidChange(update)
  }

  func stopObservingPresence(_ observer: any PresenceObserver) {
    state.withLock { $0.presenceObservers.removeAll { $0 === observer } }
  }

  /// Sends a signal to the owner, which publishes it to the subscribers of all nodes.
  func publish(_ signal: SessionSignal) {
    node.publish(signal, of: key, at: state.withLock { $0.owner })
  }

  /// The owner has published a signal.
  func didReceive(_ signal: SessionSignal) {
    for observer in state.withLock({ $0.signalObservers }) { observer.didReceive(signal) }
  }

  func observeSignals(_ observer: any SignalObserver) {
    state.withLock { $0.signalObservers.append(observer) }
  }

  func stopObservingSignals(_ observer: any SignalObserver) {
    state.withLock { $0.signalObservers.removeAll { $0 === observer } }
  }

  /// The owner has published the subscribers of all nodes.
  func didReceive(_ presence: Presence) {
    let (update, observers) = state.withLock { state in
      state.image.presence = presence
      return (PresenceUpdate(presence, revision: state.revision), state.presenceObservers)
    }
    for observer in observers { observer.presenceDidChange(update) }
  }

  // MARK: Activity

  /// The last activity that the owner has sent; empty while no stream of this node observes it.
  var activity: SessionActivity { state.withLock { $0.activity } }

  func observeActivity(_ observer: any ActivityObserver) {
    let (activity, isFirst) = state.withLock { state in
      state.activityObservers.append(observer)
      return (state.activity, state.activityObservers.count == 1)
    }
    observer.activityDidChange(activity)
    if isFirst { node.observeActivity(true, of: key) }
  }

  func stopObservingActivity(_ observer: any ActivityObserver) {
    let isLast = state.withLock { state in
      let count = state.activityObservers.count
      state.activityObservers.removeAll { $0 === observer }
      guard count > 0, state.activityObservers.isEmpty else { return false }
      state.activity = SessionActivity()
      return true
    }
    if isLast { node.observeActivity(false, of: key) }
  }

  /// The owner has sent the activity.
  func didReceive(_ activity: SessionActivity) {
    let observers = state.withLock { state in
      state.activity = activity
      return state.activityObservers
    }
    for observer in observers { observer.activityDidChange(activity) }
  }

  /// Reports the streams and requests the activity: the subscription was opened at an owner that
  /// does not have them.
  func didOpenSubscription() {
    reportStreams()
    if state.withLock({ !$0.activityObservers.isEmpty }) { node.observeActivity(true, of: key) }
  }
}

extension RemoteSession.State {
  /// Adds a state to publish.
  ///
  /// A state that is not newer than the current one is dropped.
  fileprivate mutating func enqueue(_ committed: CommittedState) {
    guard committed.version > image.current.version else { return }
    image.current = committed
    if !observers.isEmpty { enqueued.append((committed, observers)) }
  }

  /// Removes the next state to publish; `nil` if there is none, or while another thread publishes
  /// one.
  fileprivate mutating func dequeue() -> (CommittedState, [any SessionObserver])? {
    guard !isPublishing, !enqueued.isEmpty else { return nil }
    isPublishing = true
    return enqueued.removeFirst()
  }
}

/// Effects, timers and history, from the owner.
extension RemoteSession {
  func effects(
    after id: String?, limit: Int, completion: @escaping @Sendable ([RunningEffect]?) -> Void
  ) {
    let pages = RemotePages<RunningEffect>(session: self, limit: limit) { last, limit in
      .effects(after: last?.id ?? id, limit: limit)
    } elements: { reply in
      if case .effects(let effects) = reply { effects } else { nil }
    } size: {
      $0.action?.count ?? 0
    }
    pages.read(completion: completion)
  }

  func cancelEffect(
    _ id: String, completion: @escaping @Sendable (EffectCancellation) -> Void
  ) {
    node.call(.cancelEffect(id), of: key) { completion($0.cancellation) }
  }

  func timers(
    after position: TimerPosition?, limit: Int,
    completion: @escaping @Sendable ([StoredTimer]?) -> Void
  ) {
    let pages = RemotePages<StoredTimer>(session: self, limit: limit) { last, limit in
      .timers(after: last?.position ?? position, limit: limit)
    } elements: { reply in
      if case .timers(let timers) = reply { timers } else { nil }
    } size: {
      $0.action.count
    }
    pages.read(completion: completion)
  }

  func cancelTimer(
    _ id: String, completion: @escaping @Sendable (EffectCancellation) -> Void
  ) {
    node.call(.cancelTimer(id), of: key) { completion($0.cancellation) }
  }
}

extension RemoteResult {
  fileprivate var cancellation: EffectCancellation {
    switch self {
    case .success(.cancelled(let result), _): result
    case .failure(let error): .notCommitted(error)
    case .success: .ended
    }
  }

  /// The error of a call that reads the history.
  fileprivate var historyError: HistoryError {
    switch self {
    case .success(.history(let error), _): error
    case .failure(let error): .log(error)
    case .success: .log(.unavailable("The session cannot be read at its owner."))
    }
  }
}

/// The history, in pages from the owner.
extension RemoteSession {
  func state(
    at version: Int,
    completion: @escaping HistoryCompletion<CommittedState>
  ) {
    node.call(.state(version: version), of: key) { result in
      if case .success(.states(let states), _) = result, let first = states.first {
        completion(.success(first))
      } else {
        completion(.failure(result.historyError))
      }
    }
  }

  func entries(
    after version: Int, limit: Int,
    completion: @escaping HistoryCompletion<[LogEntry]>
  ) {
    node.call(.entries(after: version, limit: limit), of: key) { result in
      if case .success(.entries(let entries), _) = result {
        completion(.success(entries))
      } else {
        completion(.failure(result.historyError))
      }
    }
  }

  func replay(
    after version: Int?,
    completion: @escaping HistoryCompletion<any StateReplay>
  ) {
    states(after: version, limit: RemoteReplay.page) { [self] result in
      completion(result.map { RemoteReplay(self, first: $0, after: version) })
    }
  }

  fileprivate func states(
    after version: Int?, limit: Int,
    completion: @escaping HistoryCompletion<[CommittedState]>
  ) {
    node.call(.states(after: version, limit: limit), of: key) { result in
      if case .success(.states(let states), _) = result {
        completion(.success(states))
      } else {
        completion(.failure(result.historyError))
      }
    }
  }
}

/// Reads states page by page from the owner of a session, which folds each page from a snapshot.
private final class RemoteReplay: StateReplay {
  /// The number of states of the first page.
  static let page = 100
  /// The bounds of a later page, in states and in bytes.
  ///
  /// For each page the owner folds the log from the snapshot before it: up to 2,048 versions.
  private static let bound = (count: 1_000, size: 1 << 18)

  fileprivate struct State {
    /// The states that the owner has sent and that have not been read yet.
    var pending: ArraySlice<CommittedState>
    /// The version of the last state that was read.
    var version: Int?
    /// The number of states of the next page.
    var length = RemoteReplay.page
  }

  private let session: RemoteSession
  private let state: Mutex<State>

  init(_ session: RemoteSession, first: [CommittedState], after version: Int?) {
    self.session = session
    state = Mutex(State(pending: first[...], version: version))
  }

  func next(
    limit: Int,
    completion: @escaping HistoryCompletion<[CommittedState]>
  ) {
    let (ready, version, length) = state.withLock { ($0.take(limit), $0.version, $0.length) }
    guard ready.isEmpty else { return completion(.success(ready)) }
    session.states(after: version, limit: max(limit, length)) { [self] result in
      completion(result.map { receive($0, limit) })
    }
  }

  /// Stores a page that the owner has sent, and returns its first states.
  private func receive(_ page: [CommittedState], _ limit: Int) -> [CommittedState] {
    let size = page.reduce(0) { $0 + $1.json.count } / max(1, page.count)
    return state.withLock { state in
      state.length = max(1, min(Self.bound.count, Self.bound.size / max(1, size)))
      state.pending = page[...]
      return state.take(limit)
    }
  }
}

extension RemoteReplay.State {
  /// Removes the first states.
  fileprivate mutating func take(_ limit: Int) -> [CommittedState] {
    let taken = Array(pending.prefix(limit))
    pending = pending.dropFirst(taken.count)
    if let last = taken.last { version = last.version }
    return taken
  }
}
