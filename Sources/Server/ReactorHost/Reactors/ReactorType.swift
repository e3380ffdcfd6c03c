internal import Crypto
public import ReactorCoding
public import ReactorCore
internal import ReactorLog
internal import Synchronization

/// A registered reactor with its types: creates instances and converts their values to JSON.
@usableFromInline
final class ReactorType<R: Reactor>: Sendable
where R.Action: Codable, R.Mutation: Codable, R.State: Codable {
  /// Decodes the parameters of a session, and returns a closure that creates its instances.
  @usableFromInline typealias Maker = @Sendable (SessionScope) throws -> @Sendable () -> R

  @usableFromInline let maker: Maker
  let interruptionPolicy: InterruptionPolicy
  let parameters: ParameterRules?
  /// The conversions of what earlier releases stored.
  @usableFromInline let upgrades: StoredUpgrades
  let delegate: (any ReactorDelegate<R>)?
  private let fingerprint = Mutex<String?>(nil)
  /// The actions without associated values, with their JSON.
  ///
  /// Most actions of clients are among these: they are compared instead of decoded.
  @usableFromInline let plainActions: [(json: [UInt8], value: R.Action)]
  /// Reads the most frequent actions, or returns `nil` for most reactors.
  @usableFromInline let frequentActions: FrequentForm<R.Action>?
  /// Whether the reactor follows its mutations; looked up once instead of per session.
  @usableFromInline let follows = R.self is any FollowingReactor.Type
  /// Whether elements of the State keep their JSON while they are the same value.
  @usableFromInline let hasPlainState = R.State.self is any PlainState.Type
  /// Buffers that the encoder reuses for mutations and states.
  @usableFromInline let spareBuffers = SpareBuffers()
  /// The JSON of recurring mutations, or `nil` if Mutation does not allow it.
  @usableFromInline let knownMutations = JSONMemo<R.Mutation>()
  private let exampleActions: [R.Action]
  /// The actions that clients cannot send, or `nil` for most reactors.
  let internalActions: InternalActions<R.Action>?
  /// Whether actions can have private values.
  @usableFromInline let hasPrivateValues: Bool

  @usableFromInline
  init(
    exampleActions: [R.Action], interruptionPolicy: InterruptionPolicy,
    upgrades: StoredUpgrades, delegate: (any ReactorDelegate<R>)?,
    parameters: ParameterRules? = nil,
    maker: @escaping Maker
  ) {
    self.exampleActions = exampleActions
    self.interruptionPolicy = interruptionPolicy
    self.upgrades = upgrades
    self.delegate = delegate
    self.parameters = parameters
    self.maker = maker
    internalActions = InternalActions(of: R.Action.self)
    hasPrivateValues = JSONSchema.contains(in: R.Action.self, where: isPrivate)
    plainActions = JSONCoder.plainCases(of: R.Action.self)
    frequentActions = FrequentForm(of: R.Action.self)
  }

  func describe(_ scope: SessionScope) -> ReactorDescription {
    func json(_ value: some Encodable) -> [UInt8] {
      (try? encode(value)) ?? Array("null".utf8)
    }
    return ReactorDescription(
      actionSchema: json(
        JSONSchema.derive(
          R.Action.self, for: .input, hiding: isInternalAction, writeOnly: isPrivate)),
      mutationSchema: json(JSONSchema.derive(R.Mutation.self, for: .output)),
      stateSchema: json(JSONSchema.derive(R.State.self, for: .output)),
      initialState: (try? initial(scope)).map { json($0) }
        ?? Array("null".utf8),
      exampleActions: exampleActions.map { action in
        PrivateValues.included { json(action) }
      },
      parameters: parameters.map {
        ReactorDescription.Parameters(schema: $0.schema, default: $0.defaults, example: $0.example)
      })
  }

  /// The initial State of a new instance as clients see it.
  func initial(_ scope: SessionScope) throws -> R.State {
    let reactor = try maker(scope)()
    let state = reactor.initialState
    return FoldingInstance(reactor).shown(state)
  }

  // MARK: JSON

  @inlinable
  func encode(_ value: some Encodable) throws -> [UInt8] {
    try JSONCoder.encode(value)
  }

  /// Returns the JSON of an action in the log.
  @inlinable
  func text(of action: R.Action) -> [UInt8] {
    guard !hasPrivateValues else { return separated(action).text }
    return (try? encode(action)) ?? Array("null".utf8)
  }

  /// Decodes a client's JSON: unknown members are errors.
  ///
  /// An action of an earlier release, which this one cannot decode, is converted.
  @inlinable
  func decode<Value: Decodable>(
    _ type: Value.Type, from body: [UInt8]
  ) throws(ActionDecodingError) -> Value {
    func decode(_ body: [UInt8]) throws -> Value {
      let document = try JSONDocument(
        parsing: body, depthLimit: JSONDocument.embeddedDepthLimit)
      return try JSONCoder.decode(type, from: document.root, strictness: .strict)
    }
    do {
      return try decode(body)
    } catch {
      if let converted = upgrades.convert(actions: body), let value = try? decode(converted) {
        return value
      }
      throw ActionDecodingError(error)
    }
  }

  // MARK: Folding without a session

  /// Decodes the State of a snapshot.
  ///
  /// The snapshot of a release with another State or Mutation is used only if retention has removed
  /// the first entries of the log. Otherwise, the log is folded again. Members that its State lacks have
  /// the values of the initial State, since no mutation of that release has changed them.
  func decode(_ snapshot: Snapshot, _ make: () -> R) throws -> R.State {
    do {
      guard snapshot.schema != schema else {
        return try JSONCoder.decode(R.State.self, from: snapshot.state)
      }
      return try (upgrades.state ?? []).decode(
        R.State.self, from: snapshot.state,
        rootDefaults: JSONCoder.rootDefaults(make().initialState))
    } catch {
      let place =
        snapshot.schema == schema
        ? "the snapshot" : "the State has changed, and retention has removed the log before it"
      throw LogError.unreadable(
        version: snapshot.version, reason: "\(place), \(UnreadableReason.text(of: error))")
    }
  }

  /// Decodes the mutation of an entry, converted if an earlier release has written it.
  func decode(_ entry: LogEntry) throws -> R.Mutation {
    do {
      guard let upgrade = upgrades.mutation else {
        return try JSONCoder.decode(R.Mutation.self, from: entry.mutation)
      }
      return try upgrade.decode(R.Mutation.self, from: entry.mutation)
    } catch {
      throw LogError.unreadable(version: entry.version, reason: UnreadableReason.text(of: error))
    }
  }

  /// Decodes an action of the journal.
  func decode(stored action: AcceptedAction) throws -> R.Action {
    guard hasPrivateValues else { return try decode(stored: action.action) }
    return try PrivateValues(inJSON: action.privateValues).separated {
      try decode(stored: action.action)
    }
  }

  /// Decodes a stored action, converted if an earlier release has written it.
  func decode(stored action: [UInt8]) throws -> R.Action {
    guard let upgrade = upgrades.action else {
      return try JSONCoder.decode(R.Action.self, from: action)
    }
    return try upgrade.decode(R.Action.self, from: action)
  }
}

extension ReactorType {
  /// The fingerprint of State and Mutation.
  ///
  /// A release that changes them has another one.
  var schema: String {
    if let known = fingerprint.withLock({ $0 }) { return known }
    // Derive outside of the lock, since this calls code of the types. Concurrent threads derive
    // equal values.
    let schemas =
      JSONSchema.derive(R.State.self, for: .output).bytes
      + JSONSchema.derive(R.Mutation.self, for: .output).bytes
    let derived = String(SHA256.hexadecimal(of: schemas).prefix(16))
    fingerprint.withLock { $0 = derived }
    return derived
  }
}
