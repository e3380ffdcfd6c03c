public import ReactorStreams
internal import ReactorCoding
internal import Synchronization

/// One value that all sessions of a host share: merged into a reactor's mutations.
///
/// ```swift
/// func transform(mutation: Observable<Mutation>) -> Observable<Mutation> {
///   .merge(mutation, currentUser.map(Mutation.setUser))
/// }
/// ```
///
/// A session that subscribes while its reactor is being connected gets the value in its own turn:
/// the mutation enters the session's mailbox like an action. It gets each value once, also if it
/// left memory in between, and `null` only after another value.
public final class Global<Value: Codable & Sendable>: SharedGlobal, ObservableType {
  private struct Setting: Sendable {
    let value: Value
    let json: [UInt8]
    /// The name of the history that the version counts in.
    let epoch: String
    /// How often the global was set before.
    let version: Int
    /// Which setting this is, over the lives of several processes: a log remembers it.
    let revision: UInt64

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
    /// The setting that observers were told of last.
    var told: Setting
    /// Settings that observers have not been told of, in order.
    var untold: [Setting] = []
    var observers: [any SessionObserver] = []
    /// How many values wait to be set.
    var waiting = 0
  }

  /// What observers get.
  public typealias Element = Value

  /// The name in the address, and in the log.
  public let name: String

  private let state: Mutex<State>
  private let settings: Broadcaster<Setting>
  private let keeper = Mutex<(log: any MutationLog, logger: Logger)?>(nil)
  private let changes = ChangeLine()
  /// So many values may wait to be set.
  private static var waitingBound: Int { 10_000 }
  /// One setting is told after the other, whichever threads set them.
  private let telling = SerialQueue<Void>()

  /// Makes a global with its first value.
  public init(_ name: String, _ value: Value) {
    self.name = name
    let json = (try? JSONCoder.encode(value)) ?? Array("null".utf8)
    let setting = Setting(
      value: value, json: json, epoch: Epoch.random(), version: 0, revision: 0)
    state = Mutex(State(latest: setting, told: setting))
    settings = Broadcaster(replay: 1, seed: [setting])
  }

  /// The current value.
  public var value: Value {
    state.withLock { $0.latest.value }
  }

  /// How many sessions and others observe the value.
  package var observerCount: Int {
    settings.observerCount
  }

  /// The current value as clients see it.
  public var current: CommittedState {
    state.withLock { $0.latest }.state
  }

  /// The JSON Schema of the values that it takes, derived from their type.
  public var schema: [UInt8] {
    JSONSchema.derive(Value.self, for: .input).bytes
  }

  /// Sets the value for all sessions, as soon as the host's log has it; any thread may call.
  ///
  /// What the log refuses is not set, and a line of the host's log says so.
  ///
  /// - Throws: An `EncodingError` where the value cannot be written as JSON; nothing is set then.
  public func set(_ value: Value) throws {
    try set(value) { _ in }
  }

  /// Sets the value for all sessions, as soon as the host's log has it; any thread may call.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - completion: Called when the value is set and as durable as the store is, or was refused. Any
  ///     thread, the calling one included.
  /// - Throws: An `EncodingError` where the value cannot be written as JSON; nothing is set then.
  public func set(
    _ value: Value,
    completion: @escaping @Sendable (Result<CommittedState, LogError>) -> Void
  ) throws {
    let json = try JSONCoder.encode(value)
    let isTaken = state.withLock { state in
      guard state.waiting < Self.waitingBound else { return false }
      state.waiting += 1
      return true
    }
    guard isTaken else {
      return completion(.failure(.unavailable("Too many values wait to be set.")))
    }
    // One after the other: what is told is committed, and in the order of the log.
    changes.enter { [self] done in
      write(value, json) { [self] result in
        state.withLock { $0.waiting -= 1 }
        completion(result)
        done()
      }
    }
  }

  private func write(
    _ value: Value, _ json: [UInt8],
    completion: @escaping @Sendable (Result<CommittedState, LogError>) -> Void
  ) {
    let latest = state.withLock { $0.latest }
    // Not counted, but drawn: a log remembers it longer than this process could count.
    let next = Setting(
      value: value, json: json, epoch: latest.epoch, version: latest.version + 1,
      revision: UInt64.random(in: 1...UInt64(Int64.max)))
    guard let (log, logger) = keeper.withLock({ $0 }) else {
      put(next)
      return completion(.success(next.state))
    }
    log.share(next.stored, as: name) { [self] result in
      switch result {
      case .success:
        put(next)
        completion(.success(next.state))
      case .failure(let error):
        logger.error("global was not set", ["global": name, "error": "\(error)"])
        completion(.failure(error))
      }
    }
  }

  private func put(_ setting: Setting) {
    state.withLock { state in
      state.latest = setting
      state.untold.append(setting)
    }
    telling.post((), handle: tellNext)
  }

  /// Has a log keep the value, and takes up the one that it has.
  ///
  /// A host calls this before its sessions are used.
  public func keep(in log: any MutationLog, logger: Logger) {
    keeper.withLock { $0 = (log, logger) }
    do {
      guard let stored = try log.sharedValue(name) else { return }
      let value = try JSONCoder.decode(Value.self, from: stored.json)
      put(
        Setting(
          value: value, json: try JSONCoder.encode(value), epoch: stored.epoch,
          version: stored.version, revision: stored.revision))
    } catch {
      logger.error(
        "global cannot be read and is as it was made", ["global": name, "error": "\(error)"])
    }
  }

  private func tellNext(_: Void) {
    let (next, observers) = state.withLock { state -> (Setting?, [any SessionObserver]) in
      guard !state.untold.isEmpty else { return (nil, []) }
      state.told = state.untold.removeFirst()
      return (state.told, state.observers)
    }
    guard let next else { return }
    settings.send(.next(next))
    for observer in observers { observer.sessionDidCommit(next.state) }
  }

  /// Sets the value from JSON.
  public func set(
    json: [UInt8], completion: @escaping @Sendable (Result<CommittedState, LogError>) -> Void
  ) throws(ActionDecodingError) {
    do {
      try set(try JSONCoder.decode(Value.self, from: json), completion: completion)
    } catch let error as JSONSyntaxError {
      throw .malformed(offset: error.offset, reason: error.reason)
    } catch let error as JSONDecodingFailure {
      throw .invalid(pointer: error.pointer, expected: error.expected, detail: error.detail)
    } catch {
      throw .invalid(pointer: "", expected: [], detail: "The value cannot be set.")
    }
  }

  /// Observes the value, the current one first.
  ///
  /// - Returns: What ends the observation.
  public func subscribe(_ observer: any ObserverType<Value>) -> any Disposable {
    let context = CurrentSerialContext.value as? any GlobalContext
    let name = name
    return settings.subscribe(
      AnyObserver { event in
        guard case .next(let setting) = event else { return }
        guard let context else { return observer.on(.next(setting.value)) }
        context.deliver(global: name, revision: setting.revision, isNull: setting.isNull) {
          observer.on(.next(setting.value))
        }
      })
  }
}

/// A global as its clients watch it: it has no log, so only the current value can be had.
extension Global {
  /// The current value, where the version is its own.
  public func state(at version: Int) throws(HistoryError) -> CommittedState {
    let current = current
    guard version == current.version else {
      throw .unknownVersion(oldest: current.version, latest: current.version)
    }
    return current
  }

  /// The values after a version: none where it is the current one, and else nobody knows them.
  public func replay(after version: Int?) throws(HistoryError) -> any StateReplay {
    let current = try state(at: version ?? 0)
    return SingleReplay(version == nil ? [current] : [])
  }

  /// Tells an observer of every value from now on.
  public func observe(_ observer: any SessionObserver) -> CommittedState? {
    state.withLock { state in
      state.observers.append(observer)
      return state.told
    }.state
  }

  /// Tells an observer nothing more.
  public func stopObserving(_ observer: any SessionObserver) {
    state.withLock { state in
      if let index = state.observers.firstIndex(where: { $0 === observer }) {
        state.observers.remove(at: index)
      }
    }
  }

  /// A global has no place in a list that would tell how many watch it.
  public func changeSubscriberCount(by change: Int) {}
}

/// What is there, and then nothing.
private final class SingleReplay: StateReplay {
  private let states: Mutex<[CommittedState]>

  init(_ states: [CommittedState]) {
    self.states = Mutex(states)
  }

  func next(limit: Int) -> [CommittedState] {
    states.withLock { states in
      defer { states = [] }
      return states
    }
  }
}

/// A global as its clients know it: by name, in JSON.
public protocol SharedGlobal: StateSource {
  /// The name in the address.
  var name: String { get }

  /// The JSON Schema of the values that it takes, as JSON.
  var schema: [UInt8] { get }

  /// Sets the value from JSON.
  ///
  /// - Parameters:
  ///   - json: The value.
  ///   - completion: Called when the value is set and as durable as the store is, or was refused. Any
  ///     thread, the calling one included.
  /// - Throws: Where it is no such value; `completion` is not called then.
  func set(
    json: [UInt8], completion: @escaping @Sendable (Result<CommittedState, LogError>) -> Void
  ) throws(ActionDecodingError)

  /// Has a log keep the value, and takes up the one that it has.
  func keep(in log: any MutationLog, logger: Logger)
}
