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
    let revision: UInt64

    var isNull: Bool { json == Array("null".utf8) }
  }

  /// The name in the address, and in the log.
  public let name: String

  private let epoch = Epoch.random()
  private let latest: Mutex<Setting>
  private let settings: Broadcaster<Setting>

  /// Makes a global with its first value.
  public init(_ name: String, _ value: Value) {
    self.name = name
    let json = (try? JSONCoder.encode(value)) ?? Array("null".utf8)
    let setting = Setting(value: value, json: json, revision: 0)
    latest = Mutex(setting)
    settings = Broadcaster(replay: 1, seed: [setting])
  }

  /// The current value.
  public var value: Value {
    latest.withLock { $0.value }
  }

  /// The current value as clients see it.
  public var current: CommittedState {
    let setting = latest.withLock { $0 }
    let version = Int(clamping: setting.revision)
    return CommittedState(cursor: Cursor(epoch: epoch, version: version), json: setting.json)
  }

  /// Sets the value for all sessions; any thread may call.
  ///
  /// - Throws: An `EncodingError` where the value cannot be written as JSON; nothing is set then.
  public func set(_ value: Value) throws {
    let json = try JSONCoder.encode(value)
    let setting = latest.withLock { latest in
      latest = Setting(value: value, json: json, revision: latest.revision + 1)
      return latest
    }
    settings.send(.next(setting))
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
    let context = CurrentSerialContext.current as? any GlobalContext
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

/// A global as its clients know it: by name, in JSON.
public protocol SharedGlobal: AnyObject, Sendable {
  /// The name in the address.
  var name: String { get }

  /// The current value.
  var current: CommittedState { get }

  /// Sets the value from JSON.
  func set(json: [UInt8]) throws(ActionDecodingError) -> CommittedState
}
