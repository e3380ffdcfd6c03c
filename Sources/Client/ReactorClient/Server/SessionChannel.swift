internal import ClientCore
internal import Dispatch
internal import Synchronization

/// Receives the changes of one session.
///
/// Called on the client's queue; must not block.
protocol ChannelObserver: AnyObject, Sendable {
  /// The part of the State that it observes; it may receive a larger one.
  var selection: Selection { get }
  func receive(_ update: SessionUpdate)
  func receive(_ status: ConnectionStatus)
  /// Called before an attempt to send an action.
  func sent(_ id: UInt64)
}

/// The client's side of one session: its observers, and the queue of its actions.
final class SessionChannel: Sendable {
  typealias Completion = @Sendable (ActionQueue.Outcome) -> Void

  private struct State: Sendable {
    var queue: ActionQueue
    var completions: [UInt64: Completion] = [:]
    var observers: [ObjectIdentifier: WeakObserver] = [:]
    var status = ConnectionStatus.connecting
    var latest: SessionState?
    var topics: StreamTopics = []

    /// The smallest selection with those of all observers.
    var selection: Selection {
      observers.values.reduce(.nothing) { $0.union($1.selection) }
    }
  }

  private struct WeakObserver: Sendable {
    weak let observer: (any ChannelObserver)?
    let selection: Selection
  }

  let key: String
  let path: String
  private let client: ClientLink
  private let state: Mutex<State>
  private let timer: DeadlineTimer

  init(_ key: String, _ client: ClientLink) {
    self.key = key
    self.client = client
    path = SessionPath.path(key)
    state = Mutex(State(queue: ActionQueue(bound: client.configuration.queuedActions)))
    timer = DeadlineTimer(on: client.queue, client.clock)
  }

  // MARK: Observers

  /// Whether the channel can be discarded.
  var isIdle: Bool { state.withLock { $0.observers.isEmpty && $0.queue.isEmpty } }

  /// Adds an observer, which first receives the latest State, if there is one, and the status.
  func add(_ observer: any ChannelObserver) {
    let isClosed = client.isClosed
    let (isFirst, joins) = state.withLock { state in
      if isClosed { state.status = .paused }
      // The first observer joins the session again.
      if !isClosed, state.observers.isEmpty, case .ended = state.status {
        state.status = .connecting
      }
      let (isFirst, former) = (state.observers.isEmpty, state.selection)
      state.observers[ObjectIdentifier(observer)] = WeakObserver(
        observer: observer, selection: observer.selection)
      return (isFirst, isFirst || state.selection != former)
    }
    if isFirst { client.register(self) }
    if joins { client.join(key) }
    // The values are read on the queue: there, no change can be published before an older value.
    client.queue.async { [self] in
      let (latest, status) = state.withLock { ($0.latest, $0.status) }
      if let latest { observer.receive(.state(latest)) }
      observer.receive(status)
    }
  }

  /// The part of the State that is observed.
  var selection: Selection { state.withLock { $0.selection } }

  /// The optional events that are observed.
  var topics: StreamTopics { state.withLock { $0.topics } }

  /// Adds events to the stream, for as long as the session is observed.
  func request(_ topics: StreamTopics) {
    let isNew = state.withLock { state in
      guard !state.topics.isSuperset(of: topics) else { return false }
      state.topics.formUnion(topics)
      return true
    }
    if isNew { client.join(key) }
  }

  /// Removes an observer; after the last one the client leaves the stream.
  func remove(_ observer: ObjectIdentifier) {
    let (isLast, isNarrower) = state.withLock { state in
      let former = state.selection
      guard state.observers.removeValue(forKey: observer) != nil else { return (false, false) }
      return (state.observers.isEmpty, state.selection != former)
    }
    if isLast { client.leave(self) } else if isNarrower { client.join(key) }
  }

  /// Discards what the stream has delivered, unless the session is observed again; returns whether
  /// it is not.
  func leaveUnlessObserved() -> Bool {
    state.withLock { state in
      guard state.observers.isEmpty else { return false }
      state.latest = nil
      state.topics = []
      state.status = .connecting
      return true
    }
  }

  /// Joins the stream again, after an ended session was created again.
  func begin() {
    let mustJoin = state.withLock { state in
      guard case .ended = state.status, !state.observers.isEmpty else { return false }
      state.status = .connecting
      return true
    }
    guard mustJoin else { return }
    // The status is read on the queue, as in `add(_:)`.
    client.queue.async { [self] in
      let status = state.withLock { $0.status }
      for observer in observers { observer.receive(status) }
    }
    client.join(key)
  }

  private var observers: [any ChannelObserver] {
    state.withLock { $0.observers.values.compactMap(\.observer) }
  }

  /// Publishes a change; on the client's queue.
  func receive(_ update: SessionUpdate) {
    var status: ConnectionStatus?
    state.withLock { state in
      switch update {
      case .state(let latest):
        state.latest = latest
        if state.status != .live { status = .live }
      case .ended(let problem):
        status = .ended(problem)
        state.latest = nil
      case .activity, .failed, .notice: break
      }
      if let status { state.status = status }
    }
    switch update {
    case .state(let latest): if latest.selection == .whole { client.states?.save(key, latest) }
    case .ended: client.states?.save(key, nil)
    case .activity, .failed, .notice: break
    }
    for observer in observers {
      observer.receive(update)
      if let status { observer.receive(status) }
    }
  }

  /// Publishes the status of the stream; the session is live when its State has arrived.
  func streamChanged(_ status: ConnectionStatus) {
    let isNew = state.withLock { state in
      if case .ended = state.status { return false }
      let hasArrived = state.latest != nil || state.selection == .nothing
      guard status != state.status, status != .live || hasArrived else { return false }
      state.status = status
      return true
    }
    if isNew { for observer in observers { observer.receive(status) } }
    if status == .live { retryNow() }
  }

  // MARK: Actions

  /// Sends an action after the earlier ones; `completion` is called once, on any thread.
  func send(_ action: PendingAction, timeout: Duration?, completion: @escaping Completion) {
    guard !client.isClosed else { return completion(.failure(.cancelled)) }
    client.register(self)
    let expiry = timeout.map { client.clock.now + $0 }
    let isAdded = state.withLock { state in
      guard state.queue.append(action, expiresAt: expiry) else { return false }
      state.completions[action.id] = completion
      // Within the lock: another thread must not send the action and record its response before.
      client.journal?.add(action, of: key)
      return true
    }
    guard isAdded else { return completion(.failure(.queueFull(client.configuration))) }
    pump()
  }

  /// Adds the actions of an earlier process.
  func restore(_ actions: [ActionQueue.Restored]) {
    let problems = client.problems
    state.withLock { state in
      state.queue.restore(actions)
      for restored in actions {
        state.completions[restored.action.id] = { outcome in
          if case .failure(let problem) = outcome { problems.on(.next(problem)) }
        }
      }
    }
    client.queue.async { [self] in pump() }
  }

  /// Removes an action from the queue; it may have been executed if it was sent.
  func cancel(_ id: UInt64) {
    let (action, completion) = state.withLock { state in
      let action = state.queue.actions.first { $0.id == id }
      return (state.queue.cancel(id) ? action : nil, state.completions.removeValue(forKey: id))
    }
    if let action { client.journal?.remove(action) }
    completion?(.failure(.cancelled))
    pump()
    if action != nil { retireIfIdle() }
  }

  /// Completes all waiting calls as cancelled; the actions remain in the journal.
  func close() {
    let completions = state.withLock { state in
      defer {
        state.completions = [:]
        state.observers = [:]
      }
      return Array(state.completions.values)
    }
    for completion in completions { completion(.failure(.cancelled)) }
  }

  /// Repeats pending actions without further delay.
  func retryNow() {
    state.withLock { $0.queue.retryNow() }
    pump()
  }

  /// Sends the actions that the queue returns, and completes the expired ones.
  private func pump() {
    guard !client.isClosed else { return }
    let now = client.clock.now
    let (expired, requests) = state.withLock { state in
      let expired = state.queue.expired(now: now).map { action in
        (action, state.completions.removeValue(forKey: action.id))
      }
      var requests: [(action: PendingAction, isFirstAttempt: Bool)] = []
      while let next = state.queue.next(now: now) { requests.append(next) }
      return (expired, requests)
    }
    for (action, completion) in expired {
      client.journal?.remove(action)
      completion?(.failure(.timedOut))
    }
    if !expired.isEmpty { retireIfIdle() }
    for (action, isFirst) in requests {
      if isFirst { client.journal?.sent(action) }
      for observer in observers { observer.sent(action.id) }
      client.sender.send(action.request(path: path)) { [self] result in
        ended(action, result)
      }
    }
    timer.set(state.withLock { $0.queue.deadline }) { [self] in pump() }
  }

  private func ended(_ action: PendingAction, _ result: Result<TransportResponse, Problem>) {
    let attempt: ActionQueue.Attempt =
      switch result {
      case .success(let response): .response(response)
      case .failure(let problem): .failure(problem)
      }
    let (outcome, completion): (ActionQueue.Outcome?, Completion?) = state.withLock { state in
      let outcome = state.queue.ended(action.id, attempt, now: client.clock.now)
      return (outcome, outcome == nil ? nil : state.completions.removeValue(forKey: action.id))
    }
    if outcome != nil { client.journal?.remove(action) }
    pump()
    guard let outcome else { return }
    completion?(outcome)
    retireIfIdle()
  }

  /// Called after each end of an action.
  private func retireIfIdle() {
    if isIdle { client.retire(self) }
  }
}

extension Problem {
  fileprivate static func queueFull(_ configuration: ClientConfiguration) -> Problem {
    Problem(
      .queueFull, "Too many actions wait for the server",
      "At most \(configuration.queuedActions) actions of a session wait "
        + "(ClientConfiguration.queuedActions). Nothing was sent.")
  }

  fileprivate static let timedOut = Problem(
    .timedOut, "There was no response in time",
    "The action may have been executed if it was sent: read the State before you send it again.")

  static let cancelled = Problem(
    .cancelled, "The action was cancelled",
    "It may have been executed if it was sent: read the State before you send it again.")
}
