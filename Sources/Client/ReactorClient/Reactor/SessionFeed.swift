internal import ClientCore
internal import Dispatch
internal import ReactorStreams
internal import Synchronization

/// A signal that the State of a session may have changed.
///
/// The mutation of a ``RemoteReactor``. It has no value: the latest State is read when the signal
/// is reduced.
public struct RemoteChange: Sendable {
  /// Not public: only the client creates signals.
  init() {}
}

/// The States of one session as values: only the latest State is decoded, when it is delivered.
///
/// A slow observer costs one pending signal and one undecoded State; it does not delay the stream.
final class SessionFeed<State: Decodable & Sendable>: ChannelObserver {
  private struct Contents: Sendable {
    /// The latest State that is not decoded.
    var pending: SessionState?
    /// The decoded States, or `nil` before the first one.
    var states: OptimisticStates<State>?
    /// Emits a change into the pipeline of the reactor, or returns `nil` before the reactor has joined the
    /// stream.
    var emit: (@Sendable () -> Void)?
    /// Whether a change was signalled that has not been reduced.
    var isSignalled = false
    var publishers: FeedPublishers?
    var status = ConnectionStatus.connecting
    var activity = Activity.idle
    var topics: TopicPublishers?
    /// Whether ``states`` began with the State of an earlier process.
    var isRestored = false

    /// Whether there is a State to show.
    var hasState: Bool { isRestored || states?.confirmed.cursor != nil }

    /// Returns the State to decode, or else the function that emits the change; neither if no State
    /// has been decoded.
    mutating func nextDelivery() -> (SessionState?, (@Sendable () -> Void)?) {
      if let next = pending.take() { return (next, nil) }
      guard hasState, let emit else {
        isSignalled = false
        return (nil, nil)
      }
      return (nil, emit)
    }
  }

  private let client: ClientLink
  private let contents = Mutex(Contents())

  init(_ client: ClientLink) {
    self.client = client
  }

  /// The publishers of the session, created at the first access: many reactors never need them.
  var publishers: FeedPublishers {
    contents.withLock { contents in
      if let publishers = contents.publishers { return publishers }
      let made = FeedPublishers(contents.status, contents.activity)
      contents.publishers = made
      return made
    }
  }

  /// The publishers of presence and signals, created at the first access.
  var topics: TopicPublishers {
    contents.withLock { contents in
      if let topics = contents.topics { return topics }
      let made = TopicPublishers()
      contents.topics = made
      return made
    }
  }

  /// Whether a State has arrived.
  var hasState: Bool { contents.withLock { $0.hasState } }

  /// The cursor of the State that is shown, or `nil` before the first one.
  var cursor: SessionCursor? { contents.withLock { $0.states?.cursor } }

  // MARK: The stream

  var selection: Selection { .whole }

  /// Shows the State of an earlier process, unless one has arrived.
  ///
  /// It has no cursor: each State of the server replaces it.
  func restore(_ key: String) {
    guard let states = client.states else { return }
    client.decoding.async { [self] in
      guard let state = states.load(key, as: State.self) else { return }
      let isShown = contents.withLock { contents in
        guard contents.states == nil else { return false }
        contents.states = OptimisticStates(state)
        contents.isRestored = true
        return true
      }
      if isShown { signal() }
    }
  }

  /// Sets the function that emits a change into the pipeline; the feed retains it.
  func publish(_ emit: @escaping @Sendable () -> Void) {
    contents.withLock { $0.emit = emit }
  }

  func receive(_ update: SessionUpdate) {
    switch update {
    case .state(let state):
      // Others observe a part of the session; the whole State follows.
      guard state.selection == .whole else { return }
      contents.withLock { contents in
        let skipsReset = contents.pending?.isReset == true
        contents.pending = state
        if skipsReset { contents.pending?.isReset = true }
      }
      signal()
    case .activity(let activity):
      let publishers = contents.withLock { contents in
        contents.activity = activity
        return contents.publishers
      }
      publishers?.activity.accept(activity)
    case .failed(let problem): report(problem)
    case .notice(let name, let data): receive(SessionNotice(name, data))
    case .ended: break
    }
  }

  private func receive(_ notice: SessionNotice) {
    let (publishers, topics) = contents.withLock { ($0.publishers, $0.topics) }
    switch notice.name {
    case "presence":
      if let presence = try? notice.decode(RemotePresence.self) {
        topics?.presence.accept(presence)
      }
    case "signal": topics?.signals.on(.next(notice))
    default: publishers?.notices.on(.next(notice))
    }
  }

  /// Publishes a status that differs from the last one.
  func receive(_ status: ConnectionStatus) {
    let publishers = contents.withLock { contents -> FeedPublishers? in
      guard status != contents.status else { return nil }
      contents.status = status
      return contents.publishers
    }
    publishers?.status.accept(status)
  }

  /// Publishes a problem of an action or a State.
  func report(_ problem: Problem) {
    contents.withLock { $0.publishers }?.problems.on(.next(problem))
    client.problems.on(.next(problem))
  }

  // MARK: Expected changes

  /// Shows the expected change of an action.
  func expect(_ id: UInt64, over state: State, _ change: @escaping @Sendable (State) -> State) {
    contents.withLock { contents in
      if contents.states == nil { contents.states = OptimisticStates(state) }
      contents.states?.expect(id, change)
    }
  }

  func sent(_ id: UInt64) {
    contents.withLock { $0.states?.sent(id) }
  }

  /// Records the response to an action; without a cursor its expected change is rolled back.
  ///
  /// A State in the response is shown: the stream of a projected session has no event for an action that does not
  /// change the view.
  func answered(_ id: UInt64, by outcome: ActionQueue.Outcome) {
    let cursor = outcome.cursor
    let isPending = contents.withLock { contents in
      guard contents.states?.isOptimistic == true else { return false }
      contents.states?.answered(id, at: cursor, now: client.clock.now)
      if let state = outcome.state, contents.pending == nil,
        contents.states?.confirmed.cursor?.epoch == state.cursor.epoch
      {
        contents.pending = state
      }
      return true
    }
    if isPending { signal() }
  }

  // MARK: Values

  /// Applies the pending optimistic changes to the latest State.
  func resolve(_ shown: State) -> State {
    let pending = contents.withLock { contents in
      contents.isSignalled = false
      return contents.pending.take()
    }
    if let pending { confirm(pending) }
    let layers = contents.withLock { $0.states?.layers }
    guard let layers else { return shown }
    return layers.changes.reduce(layers.base) { $1($0) }
  }

  private func confirm(_ pending: SessionState) {
    let state: State
    do throws(Problem) {
      state = try pending.json.decode(State.self)
    } catch {
      return report(error)
    }
    let deadline = contents.withLock { contents -> Duration? in
      if contents.states == nil { contents.states = OptimisticStates(state) }
      contents.states?.confirm(
        state, at: pending.cursor, isReset: pending.isReset, now: client.clock.now)
      return contents.states?.deadline
    }
    guard let deadline else { return }
    let delay = max(.zero, deadline - client.clock.now)
    client.queue.asyncAfter(deadline: .now() + delay / .seconds(1)) { [weak self] in
      guard let self else { return }
      contents.withLock { $0.states?.release(now: client.clock.now) }
      signal()
    }
  }

  /// Signals a change, unless a signal is pending.
  private func signal() {
    let isFirst = contents.withLock { contents in
      defer { contents.isSignalled = true }
      return !contents.isSignalled
    }
    // Not on the client's queue: an observer may block.
    if isFirst { client.decoding.async { [self] in deliver() } }
  }

  /// Decodes the latest State, and emits the change if a State has been decoded.
  private func deliver() {
    while true {
      let (pending, emit) = contents.withLock { $0.nextDelivery() }
      guard let pending else {
        guard let emit else { return }
        guard let queue = client.configuration.deliveryQueue else { return emit() }
        return queue.async(execute: emit)
      }
      confirm(pending)
    }
  }
}

/// The publishers of a session for everything except its States.
final class FeedPublishers: Sendable {
  let status: BehaviorRelay<ConnectionStatus>
  let activity: BehaviorRelay<Activity>
  let problems = PublishSubject<Problem>()
  let notices = PublishSubject<SessionNotice>()

  init(_ status: ConnectionStatus, _ activity: Activity) {
    self.status = BehaviorRelay(value: status)
    self.activity = BehaviorRelay(value: activity)
  }
}
