public import ClientCore
internal import ReactorCoding
public import ReactorCore
public import ReactorStreams

/// A reactor that a server hosts, used as a local one: it has `action`, `state`, `currentState`,
/// `pulse(_:)` and a stub, and is the reactor of a `View`.
///
/// ```swift
/// let counter = server.reactor(CounterReactor.self, "counter", session: "demo")
///
/// button.rx.tap.map { .increase }.bind(to: counter.action).disposed(by: disposeBag)
/// counter.state.map(\.value).distinctUntilChanged().asDriver(onErrorJustReturn: 0).drive(…)
/// let state = try await counter.send(.add(2), expecting: .effects)
/// ```
///
/// - `state` emits committed States, the latest first and never an earlier one after a later one, unless the
///   server has lost commits and resets the stream;
///   with a ``Prediction``, the expected changes are applied to them. It emits nothing before the
///   first State has arrived, except for the last State of an earlier process if
///   ``ClientConfiguration/storedStates`` is set. A slow observer receives only the latest State. Observers are called
///   on a background thread, unless ``ClientConfiguration/deliveryQueue`` is set;
///   ``ObservedReactor`` passes the States to the main actor.
/// - `currentState` is the last State, or ``initialState`` before the first one.
/// - ``action`` enqueues an action; ``problems`` emits its rejection.
///   ``send(_:expecting:at:timeout:)`` returns the committed State.
///
/// The first access to `action`, `state` or another stream adds the session to the event stream of
/// the client, and the release of the reactor removes it. A reactor whose stub is enabled opens no
/// connection.
///
/// A reactor can be used on any thread.
public final class RemoteReactor<Interface: ReactorInterface>: Reactor,
  // Proof: the properties are constant and Sendable, and `ReactorInstance` guards its own with a mutex
  // and an atomic. The pipeline calls the functions of the reactor one at a time.
  @unchecked Sendable
where Interface.Action: Codable, Interface.State: Codable {
  /// The actions of the hosted reactor.
  public typealias Action = Interface.Action

  /// A signal that the State has changed.
  public typealias Mutation = RemoteChange

  /// The State of the hosted reactor.
  public typealias State = Interface.State

  /// The name of the reactor.
  public let name: String

  /// The id of the session.
  public let session: String

  /// The key of the session, `counter/demo`.
  let key: String

  let lifetime: ClientLifetime
  let feed: SessionFeed<State>
  private let givenState: State?
  private let prediction: Prediction<Action, State>?

  init(
    _ name: String, _ session: String, _ lifetime: ClientLifetime, _ initialState: State?,
    _ prediction: Prediction<Action, State>?
  ) {
    self.name = name
    self.session = session
    key = "\(name)/\(session)"
    self.lifetime = lifetime
    feed = SessionFeed(lifetime.client)
    givenState = initialState
    self.prediction = prediction
  }

  deinit {
    client.channel(key)?.remove(ObjectIdentifier(feed))
  }

  var client: ClientLink { lifetime.client }

  var path: String { SessionPath.path(name, session) }

  /// The State before the first one has arrived: the given one, or the smallest value of its type,
  /// such as 0, empty texts and lists, and `nil`.
  public var initialState: State {
    if let givenState { return givenState }
    guard let state = JSONSchema.smallestValue(of: State.self) else {
      preconditionFailure("\(State.self) accepts no empty value: pass initialState to reactor(…)")
    }
    return state
  }

  // MARK: Streams

  /// The status of the connection: the current one first, and then each change.
  public var connection: Observable<ConnectionStatus> {
    client.delivered(joined.status.asObservable())
  }

  /// The running effects: the current activity first, and then each change.
  public var activity: Observable<Activity> {
    client.delivered(joined.activity.asObservable())
  }

  /// The problems of the session: rejections of actions that were sent with `action`, unusable
  /// States and events, and types that differ from the server's.
  public var problems: Observable<Problem> {
    client.delivered(feed.publishers.problems.asObservable())
  }

  /// The events of the session's stream that this release of the client does not know.
  public var notices: Observable<SessionNotice> {
    client.delivered(joined.notices.asObservable())
  }

  /// The publishers, after the session was added to the event stream.
  private var joined: FeedPublishers {
    if !isStubEnabled { pipeline.connect() }
    return feed.publishers
  }

  /// The cursor of the current State, or `nil` before the first one.
  public var cursor: SessionCursor? { feed.cursor }

  /// The values of a pulse: the current one first, then each that differs from the one before.
  ///
  /// The JSON of a pulse is its value alone. Unlike with a local reactor, the assignment of an
  /// equal value is therefore not emitted; a State that is meant for clients contains a counter
  /// beside the value. Values that are neither `Equatable` nor `Encodable` all differ.
  public func pulse<Result: Sendable>(
    _ transformToPulse: @escaping @Sendable (State) throws -> Pulse<Result>
  ) -> Observable<Result> {
    state.map(transformToPulse).map { $0.wrappedValue }.distinctUntilChanged(areEqual)
  }

  // MARK: The reactor

  /// The input of the reactor, and the stream of the actions that were sent.
  ///
  /// Any thread can send an action, also in an observer of the State. When `onNext` returns, the
  /// action is in the queue and in its file (``ClientConfiguration/offlineQueue``), unless it was
  /// rejected.
  public var action: ActionSubject<Action> {
    guard !isStubEnabled else { return stub.action }
    let pipeline = pipeline
    pipeline.connect()
    return pipeline.action(receivedBy: self)
  }

  /// Sends an action to the server.
  public func mutate(action: Action) -> Observable<RemoteChange> {
    enqueue(action) ? .just(RemoteChange()) : .empty()
  }

  /// Adds an action to the queue; returns whether its expected change is to be shown.
  private func enqueue(_ action: Action) -> Bool {
    let id = client.newID()
    let pending: PendingAction
    do throws(Problem) {
      pending = try encode(action, id, .committed, isAwaited: false)
    } catch {
      feed.report(error)
      return false
    }
    expect(action, id)
    let isPredicted = prediction != nil
    client.openChannel(key).send(pending, timeout: nil) { [feed, isPredicted] outcome in
      if isPredicted { feed.answered(id, by: outcome) }
      if case .failure(let problem) = outcome { feed.report(problem) }
    }
    // Before the first State there is no State to apply the expected change to.
    return isPredicted && feed.hasState
  }

  /// Returns the latest State with the expected changes applied.
  public func reduce(state: State, mutation: RemoteChange) -> State {
    feed.resolve(state)
  }

  /// Adds the session to the event stream of the client.
  ///
  /// The initial State is not emitted: `state` begins with the first State that arrives.
  public func transform(mutation: Observable<RemoteChange>) -> Observable<RemoteChange> {
    let feed = feed
    if client.configuration.checksTypes {
      client.checks.check(name, Action.self, State.self, with: client.sender) { [weak feed] in
        feed?.report($0)
      }
    }
    // Emit changes directly into the pipeline: streams that are merged and filtered would take two
    // thirds of the memory of a reactor.
    let pipeline = pipeline
    pipeline.deferFirstState()
    feed.publish { pipeline.emit(RemoteChange()) }
    feed.restore(key)
    client.openChannel(key).add(feed)
    return mutation
  }
}

extension RemoteReactor: ActionReceiver {
  /// Sends an action on the calling thread.
  ///
  /// In the mailbox, the action would wait for as long as an observer of the State blocks.
  package func receive(_ action: Action) {
    let isShown = enqueue(action)
    pipeline.publishSent(action)
    if isShown { pipeline.emit(RemoteChange()) }
  }
}

extension RemoteReactor {
  /// Sends an action and waits for its response.
  ///
  /// The actions of a session are sent in order. Each has an idempotency key and is repeated until
  /// the server has responded, even across restarts of the server, which executes it once.
  ///
  /// - Parameters:
  ///   - action: The action.
  ///   - expectation: When the response is complete.
  ///   - cursor: The cursor at which the session must be; otherwise nothing is executed, and the problem
  ///     is `Problem/Kind/versionMismatch`.
  ///   - timeout: The time after which the action is not repeated any more, or `nil` for no limit.
  ///     Cancelling the task has the same effect. In both cases the action may have been executed.
  /// - Returns: The State in the response: committed, at or after the last mutation that was expected.
  /// - Throws: The problem of a rejection, a timeout or a cancellation, or of a response that
  ///   cannot be decoded; `Problem/Kind/forbidden` also if the action was executed, and the client may
  ///   not read the State.
  @discardableResult
  public func send(
    _ action: Action, expecting expectation: Expectation = .commit,
    at cursor: SessionCursor? = nil, timeout: Duration? = nil
  ) async throws(Problem) -> State {
    let id = client.newID()
    let pending = try encode(
      action, id, expectation.pending, condition: cursor, isAwaited: true)
    if prediction != nil, feed.hasState { expect(action, id) }
    let outcome = await outcome(of: pending, timeout)
    if prediction != nil { feed.answered(id, by: outcome) }
    switch outcome {
    case .failure(let problem): throw problem
    case .success(let response):
      // A client that may act but not read gets the cursor only.
      guard !response.body.isEmpty else { throw .hiddenState }
      return try response.decode(State.self)
    }
  }

  private func outcome(
    of action: PendingAction, _ timeout: Duration?,
    isolation: isolated (any Actor)? = #isolation
  ) async -> ActionQueue.Outcome {
    let channel = client.openChannel(key)
    return await withTaskCancellationHandler {
      // Capturing `isolation` makes the closure run on the caller's actor: another executor would
      // cost two thread switches.
      _ = isolation
      return await withCheckedContinuation { continuation in
        channel.send(action, timeout: timeout) { continuation.resume(returning: $0) }
        // If the task was already cancelled, `onCancel` ran before the action was in the queue, and
        // had no effect.
        if Task.isCancelled { channel.cancel(action.id) }
      }
    } onCancel: {
      channel.cancel(action.id)
    }
  }

  private func encode(
    _ action: Action, _ id: UInt64, _ expectation: PendingAction.Expectation,
    condition: SessionCursor? = nil, isAwaited: Bool
  ) throws(Problem) -> PendingAction {
    let body: [UInt8]
    do {
      body = try PrivateValues.included { try JSONCoder.encode(action) }
    } catch {
      throw Problem(.invalidAction, "The action cannot be encoded", "\(error)")
    }
    return PendingAction(
      id: id, key: IdempotencyKey.random(), body: body, expecting: expectation,
      condition: condition, wantsState: isAwaited, isAwaited: isAwaited)
  }

  private func expect(_ action: Action, _ id: UInt64) {
    guard let prediction else { return }
    feed.expect(id, over: currentState) { prediction.apply($0, action) }
  }
}

extension Problem {
  fileprivate static let hiddenState = Problem(
    .forbidden, "The action was executed, and its State may not be read",
    "The token does not have the right to read the session. Use a subject of actions, which expects no "
      + "State.")
}

/// When the response to an action is complete.
public enum Expectation: Sendable {
  /// The action is durable and will be executed, also after a crash.
  case acceptance

  /// The mutations that it causes synchronously are committed; its effects can still be running.
  case commit

  /// Its effects have ended.
  case effects

  fileprivate var pending: PendingAction.Expectation {
    switch self {
    case .acceptance: .accepted
    case .commit: .committed
    case .effects: .effects
    }
  }
}

private enum IdempotencyKey {
  /// 128 random bits.
  static func random() -> String {
    var generator = SystemRandomNumberGenerator()
    return String(generator.next(), radix: 36) + "-" + String(generator.next(), radix: 36)
  }
}

/// Whether two values are equal, or have the same JSON if their type cannot compare them.
private func areEqual<Value>(_ one: Value, _ other: Value) -> Bool {
  func compare<Known: Equatable>(_: Known.Type) -> Bool {
    (one as? Known) == (other as? Known)
  }
  if let type = Value.self as? any Equatable.Type { return compare(type) }
  guard let one = one as? any Encodable, let other = other as? any Encodable,
    let json = try? JSONCoder.encode(one)
  else { return false }
  return json == (try? JSONCoder.encode(other))
}
