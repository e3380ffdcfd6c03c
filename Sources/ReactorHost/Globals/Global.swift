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
    /// How often the global was set before.
    let version: Int
    /// Which setting this is, over the lives of several processes: a log remembers it.
    let revision: UInt64

    var isNull: Bool { json.elementsEqual("null".utf8) }
  }

  private struct State: Sendable {
    var latest: Setting
    /// The setting that observers were told of last.
    var told: Setting
    /// Settings that observers have not been told of, in order.
    var untold: [Setting] = []
    var observers: [any SessionObserver] = []
  }

  /// What observers get.
  public typealias Element = Value

  /// The name in the address, and in the log.
  public let name: String

  private let epoch = Epoch.random()
  private let state: Mutex<State>
  private let settings: Broadcaster<Setting>
  /// One setting is told after the other, whichever threads set them.
  private let telling = SerialQueue<Void>()

  /// Makes a global with its first value.
  public init(_ name: String, _ value: Value) {
    self.name = name
    let json = (try? JSONCoder.encode(value)) ?? Array("null".utf8)
    let setting = Setting(value: value, json: json, version: 0, revision: 0)
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
    committed(state.withLock { $0.latest })
  }

  private func committed(_ setting: Setting) -> CommittedState {
    CommittedState(cursor: Cursor(epoch: epoch, version: setting.version), json: setting.json)
  }

  /// The JSON Schema of the values that it takes, derived from their type.
  public var schema: [UInt8] {
    JSONSchema.derive(Value.self, for: .input).bytes
  }

  /// Sets the value for all sessions; any thread may call.
  ///
  /// - Throws: An `EncodingError` where the value cannot be written as JSON; nothing is set then.
  public func set(_ value: Value) throws {
    let json = try JSONCoder.encode(value)
    // Not counted, but drawn: a log remembers it longer than this process could count.
    let revision = UInt64.random(in: 1...UInt64(Int64.max))
    state.withLock { state in
      let latest = state.latest
      state.latest = Setting(
        value: value, json: json, version: latest.version + 1, revision: revision)
      state.untold.append(state.latest)
    }
    telling.post((), handle: tellNext)
  }

  private func tellNext(_: Void) {
    let (next, observers) = state.withLock { state -> (Setting?, [any SessionObserver]) in
      guard !state.untold.isEmpty else { return (nil, []) }
      state.told = state.untold.removeFirst()
      return (state.told, state.observers)
    }
    guard let next else { return }
    settings.send(.next(next))
    for observer in observers { observer.sessionDidCommit(committed(next)) }
  }

  /// Sets the value from JSON.
  ///
  /// - Returns: The value that is set now.
  public func set(json: [UInt8]) throws(ActionDecodingError) -> CommittedState {
    do {
      try set(try JSONCoder.decode(Value.self, from: json))
      return current
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
    committed(
      state.withLock { state in
        state.observers.append(observer)
        return state.told
      })
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
  func set(json: [UInt8]) throws(ActionDecodingError) -> CommittedState
}
