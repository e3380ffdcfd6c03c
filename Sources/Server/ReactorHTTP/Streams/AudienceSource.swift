internal import ReactorCore
internal import ReactorHost
internal import ReactorLog
internal import Shares
internal import Synchronization

/// A projected session as one audience sees it: the source of the streams of its clients.
final class AudienceSource: SessionSource {
  private struct State {
    var current: CommittedState
    var observers: [any SessionObserver] = []
    var hasEnded = false
  }

  let key: AudienceKey
  private let base: any SessionSource
  private let state: Mutex<State>

  init(_ key: AudienceKey, of base: any SessionSource, at current: CommittedState) {
    self.key = key
    self.base = base
    state = Mutex(State(current: current))
  }

  /// Publishes the view of a commit.
  ///
  /// Called on one thread at a time.
  func publish(_ view: CommittedState) {
    let observers = state.withLock { state in
      state.current = view
      return state.observers
    }
    for observer in observers { observer.sessionDidCommit(view) }
  }

  /// The session has ended, or its view has failed.
  func end(_ end: SessionEnd) {
    let observers = state.withLock { state in
      defer { (state.hasEnded, state.observers) = (true, []) }
      return state.observers
    }
    for observer in observers { observer.sessionDidEnd(end) }
  }

  // MARK: States

  var epoch: String { current.cursor.epoch }

  var current: CommittedState { state.withLock { $0.current } }

  var formerVersion: Int { base.formerVersion }

  func confirmCurrent() async throws(LogError) { try await base.confirmCurrent() }

  /// Fails: what a client may see of an earlier State depends on the client, see ``ViewerHistory``.
  func state(at version: Int) async throws(HistoryError) -> CommittedState {
    throw .unknownVersion(oldest: current.version, latest: current.version)
  }

  /// Fails, see ``state(at:)``.
  func replay(after version: Int?) async throws(HistoryError) -> any StateReplay {
    throw .unknownVersion(oldest: current.version, latest: current.version)
  }

  func observe(_ observer: any SessionObserver) -> CommittedState? {
    state.withLock { state in
      guard !state.hasEnded else { return nil }
      state.observers.append(observer)
      return state.current
    }
  }

  func stopObserving(_ observer: any SessionObserver) {
    state.withLock { $0.observers.removeAll { $0 === observer } }
  }

  // MARK: Everything else is that of the session

  func changeStreams(of owner: StreamOwner, by change: Int) -> Int {
    base.changeStreams(of: owner, by: change)
  }

  var activity: SessionActivity { base.activity }

  func observeActivity(_ observer: any ActivityObserver) { base.observeActivity(observer) }

  func stopObservingActivity(_ observer: any ActivityObserver) {
    base.stopObservingActivity(observer)
  }

  var subscriberCount: Int { base.subscriberCount }

  var presence: Presence { base.presence }

  func subscribers(
    after name: String?, limit: Int
  ) async throws(SessionError) -> PresencePage {
    try await base.subscribers(after: name, limit: limit)
  }

  func observePresence(_ observer: any PresenceObserver) { base.observePresence(observer) }

  func stopObservingPresence(_ observer: any PresenceObserver) {
    base.stopObservingPresence(observer)
  }

  func publish(_ signal: SessionSignal) { base.publish(signal) }

  func observeSignals(_ observer: any SignalObserver) { base.observeSignals(observer) }

  func stopObservingSignals(_ observer: any SignalObserver) { base.stopObservingSignals(observer) }
}

extension AudienceSource: HeldSource {
  var account: Account? { (base as? any HeldSource)?.account }
}
