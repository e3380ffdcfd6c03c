public import ReactorCore
internal import ReactorLog
public import ReactorSessions
internal import Synchronization

/// The session as clients and streams use it: each request goes to the part that executes it.
extension LiveSession: Session, SubmissionTarget, SubscriberOwner {
  @usableFromInline var current: CommittedState {
    commits.withLock { $0.latest }
  }

  @usableFromInline var lastActiveAt: Timestamp {
    commits.withLock { $0.lastActiveAt }
  }

  // MARK: Actions

  @usableFromInline
  func submit(
    _ body: [UInt8], ifAt expected: [Cursor]?, key: String?, for context: RequestContext?,
    accepted: (@Sendable (CommittedState) -> Void)?,
    completion: @escaping @Sendable (ActionOutcome) -> Void
  ) throws(ActionDecodingError) {
    let idempotencyKey = key.map { IdempotencyKey($0, of: context?.keyOwner, for: body) }
    guard let router = environment.router else {
      return try SessionRequests(session: self).submit(
        body, ifAt: expected, identifiedBy: idempotencyKey, for: context, accepted: accepted,
        completion: completion)
    }
    let submission = Submission(
      body: body, expected: expected, key: idempotencyKey, context: context)
    try submit(
      submission, accepted: accepted, enqueued: nil,
      completion: submission.rerouting(
        to: self.key, accepted: accepted, through: router, completion))
  }

  /// Executes actions, see ``Session/submit(_:ifAt:key:for:accepted:completion:)``.
  ///
  /// The outcome may be ``ActionOutcome/displaced(by:)``.
  func submit(
    _ submission: Submission, accepted: (@Sendable (CommittedState) -> Void)?,
    enqueued: (@Sendable () -> Void)?,
    completion: @escaping @Sendable (ActionOutcome) -> Void
  ) throws(ActionDecodingError) {
    try SessionRequests(session: self).submit(
      submission.body, ifAt: submission.expected, identifiedBy: submission.key,
      isRepeated: submission.isRepeated, for: submission.context, accepted: accepted,
      enqueued: enqueued, completion: completion)
  }

  // MARK: States

  /// Confirms with the log that no other process has continued the session; closes the session if one has.
  @usableFromInline
  func confirmCurrent() async throws(LogError) {
    try SessionHandOver(session: self).confirmOwner()
  }

  @usableFromInline
  func observe(_ observer: any SessionObserver) -> CommittedState? {
    if let follower = observer as? SessionFollower {
      return observation.followers.add(follower, to: self)
    }
    return observe(observer, retains: true)
  }

  /// Adds an observer, see ``CommitMachine/add(_:retains:)``.
  func observe(_ observer: any SessionObserver, retains: Bool) -> CommittedState? {
    commits.withLock { machine in
      let base = machine.add(observer, retains: retains)
      if base != nil { meter.setObserved(true) }
      return base
    }
  }

  @usableFromInline
  func stopObserving(_ observer: any SessionObserver) {
    if let follower = observer as? SessionFollower {
      return observation.followers.remove(follower, from: self)
    }
    commits.withLock { meter.setObserved($0.remove(observer)) }
  }

  @usableFromInline
  func state(at version: Int) async throws(HistoryError) -> CommittedState {
    try await SessionHistory(session: self).state(at: version)
  }

  @usableFromInline
  func entries(after version: Int, limit: Int) async throws(HistoryError) -> [LogEntry] {
    try await SessionHistory(session: self).entries(after: version, limit: limit)
  }

  @usableFromInline
  func replay(after version: Int?) async throws(HistoryError) -> any StateReplay {
    try await SessionHistory(session: self).replay(after: version)
  }

  @usableFromInline
  func takeCreation() -> Bool { commits.withLock { $0.takeCreation() } }

  // MARK: Activity and signals

  @usableFromInline var activity: SessionActivity {
    SessionActivity(running: pipeline.runningEffectCount, progress: pipeline.effectProgress)
  }

  @usableFromInline
  func observeActivity(_ observer: any ActivityObserver) {
    activityObservers.add(observer)
    publishActivity()
  }

  /// Publishes the activity after a change of the observers.
  func publishActivity() {
    // An empty turn: the activity is published at the end of each turn.
    enqueue {}
  }

  @usableFromInline
  func stopObservingActivity(_ observer: any ActivityObserver) {
    activityObservers.remove(observer)
  }

  @usableFromInline
  func publish(_ signal: SessionSignal) {
    signalObservers.publish(signal)
  }

  @usableFromInline
  func observeSignals(_ observer: any SignalObserver) {
    signalObservers.add(observer)
  }

  @usableFromInline
  func stopObservingSignals(_ observer: any SignalObserver) {
    signalObservers.remove(observer)
  }

  // MARK: Subscribers

  @usableFromInline var subscriberCount: Int {
    subscriberTable.withLock { $0.count }
  }

  @usableFromInline var presence: Presence {
    subscriberTable.withLock { $0.snapshot }.update.presence
  }

  @usableFromInline
  func changeStreams(of owner: StreamOwner, by change: Int) -> Int {
    environment.counts.subscribers.add(change, ordering: .relaxed)
    let (isDue, revision) = subscriberTable.withLock { ($0.change(owner, by: change), $0.revision) }
    if isDue { schedulePublication() }
    return revision
  }

  @usableFromInline
  func observePresence(_ observer: any PresenceObserver) {
    if subscriberTable.withLock({ $0.add(observer) }) { schedulePublication() }
  }

  @usableFromInline
  func stopObservingPresence(_ observer: any PresenceObserver) {
    subscriberTable.withLock { $0.remove(observer) }
  }

  func withSubscribers<Result: Sendable>(_ body: (inout SubscriberTable) -> Result) -> Result {
    subscriberTable.withLock { body(&$0) }
  }
}

extension LiveSession: HeldSource {}
