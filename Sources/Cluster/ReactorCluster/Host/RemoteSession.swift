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
    var reporter = StreamReporter()
    var revision = 0
    /// The states to publish, in order, each with the observers at the time of its arrival.
    var enqueued: [(CommittedState, [any SessionObserver])] = []
    var isPublishing = false
    var hasEnded = false
    /// Whether a report of the streams is scheduled.
    var isReportDue = false
    /// Whether the session was stored when this node learned of it, or its creation is counted.
    var creationIsTaken: Bool
  }

  /// The time from a change of the streams to its report to the owner.
  private static let reportInterval = Duration.milliseconds(10)

  let key: SessionKey
  let epoch: String
  let parameters: [UInt8]?
  let node: ClusterNode
  private let state: Mutex<State>
  /// Acquired while parts of a report are sent, so that they keep their order.
  private let reporting = Mutex(())

  init(_ key: SessionKey, _ image: SessionImage, of owner: NodeID, at node: ClusterNode) {
    self.key = key
    self.node = node
    epoch = image.current.cursor.epoch
    parameters = image.parameters
    state = Mutex(State(image: image, owner: owner, creationIsTaken: image.isStored))
  }

  var current: CommittedState { state.withLock { $0.image.current } }

  var lastActiveAt: Timestamp { state.withLock { $0.image.lastActiveAt } }

  var isStored: Bool { state.withLock { $0.image.isStored } }

  func takeCreation() -> Bool {
    state.withLock { state in
      guard state.image.isStored, !state.creationIsTaken else { return false }
      state.creationIsTaken = true
      return true
    }
  }

  var subscriberCount: Int { state.withLock { $0.image.presence.presence.count } }

  /// Updates the session with a reply of its owner.
  func update(_ image: SessionImage, of owner: NodeID) {
    state.withLock { state in
      state.owner = owner
      state.image.lastActiveAt = image.lastActiveAt
      state.image.presence = image.presence
      state.image.isStored = state.image.isStored || image.isStored
      state.enqueue(image.current)
    }
    publishEnqueued()
  }

  /// Confirms the State with the owner of the session.
  ///
  /// Fails with `LogError.lost` if this node owns the session in the meantime, or if the session
  /// has another epoch. The caller must then request the session again.
  func confirmCurrent() async throws(LogError) {
    switch await node.call(.confirm, of: key) {
    case .success(.opened(let image, _), let owner):
      guard owner.name != node.node.name, node.remoteSession(key, image, of: owner) === self
      else { throw .lost(to: owner) }
    case .success(.failed(.log(let error)), _): throw error
    case .success: throw .conflict
    case .failure(let error): throw error
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
        body: body, expected: expected,
        key: key.map { IdempotencyKey($0, of: context?.keyOwner, for: body) },
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
    if isFirst { updateSubscription() }
    return base
  }

  func stopObserving(_ observer: any SessionObserver) {
    let isLast = state.withLock { state in
      let count = state.observers.count
      state.observers.removeAll { $0 === observer }
      return count > 0 && state.observers.isEmpty
    }
    if isLast { updateSubscription() }
  }

  /// Whether the session needs a subscription.
  var isObserved: Bool { state.withLock { !$0.observers.isEmpty } }

  /// Opens the subscription, or closes it, on another thread.
  ///
  /// Both execute effects of the node's machine: responses to requests of clients, and States for other
  /// observers. The caller holds locks.
  private func updateSubscription() {
    Task.detached { [self] in
      if isObserved { node.subscribe(self) } else { node.unsubscribe(self) }
    }
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
    if !observers.isEmpty { node.removeSubscription(of: key) }
  }

  // MARK: Streams and presence

  var presence: Presence { state.withLock { $0.image.presence.presence } }

  func changeStreams(of owner: StreamOwner, by change: Int) -> Int {
    let (isDue, revision) = state.withLock { state -> (Bool, Int) in
      state.reporter.change(owner, by: change)
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

  /// Reports the streams of this node that the owner does not know yet.
  private func reportStreams() {
    reporting.withLock { _ in
      let parts = state.withLock { state in
        state.isReportDue = false
        return state.reporter.takeParts()
      }
      node.report(parts, of: key)
    }
  }

  func observePresence(_ observer: any PresenceObserver) {
    let update = state.withLock { state in
      state.presenceObservers.append(observer)
      return state.presenceUpdate
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
  func didReceive(_ page: PresencePage) {
    let (update, observers) = state.withLock { state in
      state.image.presence = page
      return (state.presenceUpdate, state.presenceObservers)
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
  func didOpenSubscription(_ number: UInt64) {
    state.withLock { $0.reporter.begin(number) }
    reportStreams()
    if state.withLock({ !$0.activityObservers.isEmpty }) { node.observeActivity(true, of: key) }
  }
}

extension RemoteSession.State {
  fileprivate var presenceUpdate: PresenceUpdate {
    PresenceUpdate(image.presence.presence, more: image.presence.more, revision: revision)
  }

  /// Adds a state to publish.
  ///
  /// A state that is not newer than the current one is dropped.
  fileprivate mutating func enqueue(_ committed: CommittedState) {
    guard committed.version > image.current.version else { return }
    image.current = committed
    image.isStored = true
    if !observers.isEmpty { enqueued.append((committed, observers)) }
  }

  /// Removes the next state to publish, or returns `nil` if there is none, or while another thread publishes
  /// one.
  fileprivate mutating func dequeue() -> (CommittedState, [any SessionObserver])? {
    guard !isPublishing, !enqueued.isEmpty else { return nil }
    isPublishing = true
    return enqueued.removeFirst()
  }
}
