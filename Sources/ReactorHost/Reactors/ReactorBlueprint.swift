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
  /// The actions that are a name without values, by their JSON.
  ///
  /// Most of what clients send are such, and they are always the same: they are read once, not with
  /// every request.
  @usableFromInline let plainActions: [[UInt8]: R.Action]
  private let exampleActions: [R.Action]
  /// Makes an engine for a restored state.
  ///
  /// A closure where a call would do: it is made, and with it all that an action comes by, in the
  /// module that registers the reactor, where the types are known.
  private let assemble: @Sendable (ReactorBlueprint, R.State?) -> ReactorEngine<R>

  @inlinable
  convenience init(
    exampleActions: [R.Action], interruptionPolicy: InterruptionPolicy,
    make: @escaping @Sendable () -> R
  ) {
    self.init(
      exampleActions: exampleActions, interruptionPolicy: interruptionPolicy, make: make
    ) { blueprint, restored in
      ReactorEngine(blueprint, restored: restored)
    }
  }

  @usableFromInline
  init(
    exampleActions: [R.Action], interruptionPolicy: InterruptionPolicy,
    make: @escaping @Sendable () -> R,
    assemble: @escaping @Sendable (ReactorBlueprint, R.State?) -> ReactorEngine<R>
  ) {
    self.exampleActions = exampleActions
    self.interruptionPolicy = interruptionPolicy
    self.make = make
    self.assemble = assemble
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
  /// - Returns: The fold, and the version of the snapshot that it began with, 0 for none; `nil` where
  ///   the log ends earlier, or retention has removed what the fold would need.
  func fold(
    _ log: any SessionLog, upTo version: Int
  ) throws -> (state: R.State, snapshot: Int)? {
    let reactor = make()
    let snapshot = try log.snapshot(atOrBefore: version)
    var reached = snapshot?.version ?? 0
    var state =
      try snapshot.map { try JSONCoder.decode(R.State.self, from: $0.state) }
      ?? reactor.initialState
    while reached < version {
      let entries = try log.entries(after: reached, limit: min(1000, version - reached))
      guard entries.first?.version == reached + 1 else { return nil }
      for entry in entries {
        state = reactor.reduce(state: state, mutation: try decode(entry))
        reached = entry.version
      }
    }
    return (state, snapshot?.version ?? 0)
  }

  func refold(_ log: any SessionLog) throws -> RefoldReport {
    var refolding = Refolding(self, log)
    return try refolding.run()
  }

  /// Folds one entry in.
  func reduce(_ state: R.State, _ entry: LogEntry) throws -> R.State {
    make().reduce(state: state, mutation: try decode(entry))
  }

  /// The mutation of an entry.
  func decode(_ entry: LogEntry) throws -> R.Mutation {
    do {
      return try JSONCoder.decode(R.Mutation.self, from: entry.mutation)
    } catch {
      throw LogError.corrupt("The mutation of version \(entry.version) cannot be read: \(error)")
    }
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
  func engine() -> any SessionEngine {
    assemble(self, nil)
  }

  func engine(
    folding log: any SessionLog, upTo version: Int
  ) throws -> (engine: any SessionEngine, snapshot: Int)? {
    try fold(log, upTo: version).map { (assemble(self, $0.state), $0.snapshot) }
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
