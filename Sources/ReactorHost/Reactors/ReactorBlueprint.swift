public import ReactorCoding
public import ReactorCore
internal import ReactorStreams
internal import Synchronization

/// What a host needs of a reactor before there is an instance, without its types.
protocol Blueprint: Sendable {
  /// What becomes of an accepted action that the end of the process has cut off.
  var interruptionPolicy: InterruptionPolicy { get }

  /// Makes the engine of a session without mutations.
  func engine() -> any SessionEngine

  /// Makes the engine of a session from its log.
  ///
  /// - Returns: The engine, and the version of the snapshot that folding began with; `nil` where the
  ///   log does not reach the version, or lacks what folding it would need.
  func engine(
    folding log: any SessionLog, upTo version: Int
  ) throws -> (engine: any SessionEngine, snapshot: Int)?

  /// The fingerprint of State and Mutation: another one where a release has changed them.
  var schema: String { get }

  /// Folds a session's log anew, and says what is wrong with it.
  func refold(_ log: any SessionLog) throws -> RefoldReport

  /// What the reactor takes and gives.
  // MARK: Describing

  func describe() -> ReactorDescription
}

/// What is known of a reactor before there is an instance: how one is made, and its JSON.
@usableFromInline
final class ReactorBlueprint<R: Reactor>: Sendable
where R.Action: Codable, R.Mutation: Codable, R.State: Codable {
  @usableFromInline let make: @Sendable () -> R
  let interruptionPolicy: InterruptionPolicy
  private let upgradeMutation: MutationUpgrade?
  private let fingerprint = Mutex<String?>(nil)
  /// The actions that are a name without values, by their JSON.
  ///
  /// Most of what clients send are such, and they are always the same: they are read once, not with
  /// every request.
  @usableFromInline let plainActions: [(json: [UInt8], value: R.Action)]
  /// What mutations and states are encoded in, one session's after the other's.
  @usableFromInline let spareBuffers = SpareBuffers()
  /// The JSON of mutations that come again and again; `nil` where it would not be known.
  @usableFromInline let knownMutations = JSONMemo<R.Mutation>()
  private let exampleActions: [R.Action]
  let calls: EngineCalls<R>

  @inlinable
  convenience init(
    exampleActions: [R.Action], interruptionPolicy: InterruptionPolicy,
    upgradeMutation: MutationUpgrade?, make: @escaping @Sendable () -> R
  ) {
    self.init(
      exampleActions: exampleActions, interruptionPolicy: interruptionPolicy,
      upgradeMutation: upgradeMutation, make: make, calls: EngineCalls())
  }

  @usableFromInline
  init(
    exampleActions: [R.Action], interruptionPolicy: InterruptionPolicy,
    upgradeMutation: MutationUpgrade?, make: @escaping @Sendable () -> R,
    calls: EngineCalls<R>
  ) {
    self.exampleActions = exampleActions
    self.interruptionPolicy = interruptionPolicy
    self.upgradeMutation = upgradeMutation
    self.make = make
    self.calls = calls
    plainActions = JSONCoder.plainCases(of: R.Action.self)
  }

  func describe() -> ReactorDescription {
    func json(_ value: some Encodable) -> [UInt8] {
      (try? encode(value)) ?? Array("null".utf8)
    }
    return ReactorDescription(
      actionSchema: json(JSONSchema.derive(R.Action.self, for: .input)),
      mutationSchema: json(JSONSchema.derive(R.Mutation.self, for: .output)),
      stateSchema: json(JSONSchema.derive(R.State.self, for: .output)),
      initialState: json(show(make().initialState)),
      exampleActions: exampleActions.map { json($0) })
  }

  // MARK: JSON

  @inlinable
  func encode(_ value: some Encodable) throws -> [UInt8] {
    try JSONCoder.encode(value)
  }

  /// An action as the log shows it.
  @inlinable
  func text(of action: R.Action) -> [UInt8] {
    (try? encode(action)) ?? Array("null".utf8)
  }

  /// Decodes a client's JSON.
  @inlinable
  func decode<Value: Decodable>(
    _ type: Value.Type, from body: [UInt8]
  ) throws(ActionDecodingError) -> Value {
    do {
      return try JSONCoder.decode(type, from: body, strictness: .strict)
    } catch {
      throw ActionDecodingError(error)
    }
  }

  /// Decodes an action that was encoded here.
  func decodeAction(_ json: [UInt8]) throws -> R.Action {
    try JSONCoder.decode(R.Action.self, from: json)
  }

  // MARK: Folding without a session

  /// Folds a session's log up to a version.
  ///
  /// A snapshot that a release with another State or Mutation has folded is passed over, and the log
  /// folded anew; where retention has removed the beginning of the log, it is all there is.
  ///
  /// - Returns: The fold, and the version of the snapshot that it began with, 0 for none; `nil` where
  ///   the log ends earlier, or retention has removed what the fold would need.
  func fold(
    _ log: any SessionLog, upTo version: Int
  ) throws -> (state: R.State, snapshot: Int)? {
    let reactor = make()
    var state = reactor.initialState
    var reached = 0
    if let snapshot = try log.snapshot(atOrBefore: version, of: schema) {
      (state, reached) = (
        try JSONCoder.decode(R.State.self, from: snapshot.state), snapshot.version
      )
    } else if try log.entries(after: 0, limit: 1).first?.version != 1,
      let foreign = try log.snapshot(atOrBefore: version)
    {
      (state, reached) = (try decode(foreign: foreign), foreign.version)
    }
    let base = reached
    while reached < version {
      let entries = try log.entries(after: reached, limit: min(1000, version - reached))
      guard entries.first?.version == reached + 1 else { return nil }
      for entry in entries {
        state = reactor.reduce(state: state, mutation: try decode(entry))
        reached = entry.version
      }
    }
    return (state, base)
  }

  /// The State of a snapshot that another release has folded.
  private func decode(foreign snapshot: Snapshot) throws -> R.State {
    do {
      return try JSONCoder.decode(R.State.self, from: snapshot.state)
    } catch {
      throw LogError.unreadable(
        version: snapshot.version,
        reason: "the State was another one, and the log before it is not kept any more.")
    }
  }

  func refold(_ log: any SessionLog) throws -> RefoldReport {
    var refolding = Refolding(self, log)
    return try refolding.run()
  }

  /// Folds one entry in.
  func reduce(_ state: R.State, _ entry: LogEntry) throws -> R.State {
    make().reduce(state: state, mutation: try decode(entry))
  }

  /// The mutation of an entry, which the reactor has upgraded where it could not be read.
  func decode(_ entry: LogEntry) throws -> R.Mutation {
    do {
      return try JSONCoder.decode(R.Mutation.self, from: entry.mutation)
    } catch {
      guard let upgradeMutation else { throw unreadable(entry, error) }
      do {
        let upgraded = try upgradeMutation(String(decoding: entry.mutation, as: UTF8.self))
        return try JSONCoder.decode(R.Mutation.self, from: Array(upgraded.utf8))
      } catch {
        throw unreadable(entry, error)
      }
    }
  }

  private func unreadable(_ entry: LogEntry, _ error: any Error) -> LogError {
    let reason =
      switch error {
      case let error as JSONDecodingFailure: "at \"\(error.pointer)\": \(error.detail)"
      case let error as JSONSyntaxError: "at byte \(error.offset): \(error.reason)"
      default: "it cannot be upgraded."
      }
    return .unreadable(version: entry.version, reason: reason)
  }

  /// What a state of the past looks like to clients: what the reactor's `transform(state:)` makes
  /// of it at once.
  func show(_ state: R.State) -> R.State {
    let shown = Mutex(state)
    let source = Observable.just(state)
    let transformed = make().transform(state: source)
    guard transformed !== source else { return state }
    transformed.subscribe(onNext: { next in shown.withLock { $0 = next } }).dispose()
    return shown.withLock { $0 }
  }
}

extension ReactorBlueprint: Blueprint {
  var schema: String {
    if let known = fingerprint.withLock({ $0 }) { return known }
    // Deriving asks the types themselves; where two threads do it, they find the same.
    let schemas =
      JSONSchema.derive(R.State.self, for: .output).bytes
      + JSONSchema.derive(R.Mutation.self, for: .output).bytes
    let made = String(SHA256.hexadecimal(of: schemas).prefix(16))
    fingerprint.withLock { $0 = made }
    return made
  }

  func engine() -> any SessionEngine {
    calls.assemble(self, nil)
  }

  func engine(
    folding log: any SessionLog, upTo version: Int
  ) throws -> (engine: any SessionEngine, snapshot: Int)? {
    try fold(log, upTo: version).map { (calls.assemble(self, $0.state), $0.snapshot) }
  }
}

extension ActionDecodingError {
  /// What a client is told of an error of the coder.
  @usableFromInline
  init(_ error: any Error) {
    switch error {
    case let error as JSONSyntaxError:
      self = .malformed(offset: error.offset, reason: error.reason)
    case let error as JSONDecodingFailure:
      self = .invalid(
        pointer: error.pointer, expected: error.expected, detail: error.detail)
    default:
      self = .invalid(pointer: "", expected: [], detail: "The body is not an action.")
    }
  }
}
