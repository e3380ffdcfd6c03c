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
  private let upgradeMutation: MutationUpgrade?
  let delegate: (any ReactorDelegate<R>)?
  private let fingerprint = Mutex<String?>(nil)
  /// The actions without associated values, with their JSON.
  ///
  /// Most actions of clients are among these: they are compared instead of decoded.
  @usableFromInline let plainActions: [(json: [UInt8], value: R.Action)]
  /// Reads the most frequent actions; `nil` for most reactors.
  @usableFromInline let frequentActions: FrequentForm<R.Action>?
  /// Whether the reactor follows its mutations; looked up once instead of per session.
  @usableFromInline let follows = R.self is any FollowingReactor.Type
  /// Buffers that the encoder reuses for mutations and states.
  @usableFromInline let spareBuffers = SpareBuffers()
  /// The JSON of recurring mutations; `nil` if Mutation does not allow it.
  @usableFromInline let knownMutations = JSONMemo<R.Mutation>()
  private let exampleActions: [R.Action]

  @usableFromInline
  init(
    exampleActions: [R.Action], interruptionPolicy: InterruptionPolicy,
    upgradeMutation: MutationUpgrade?, delegate: (any ReactorDelegate<R>)?,
    parameters: ParameterRules? = nil,
    maker: @escaping Maker
  ) {
    self.exampleActions = exampleActions
    self.interruptionPolicy = interruptionPolicy
    self.upgradeMutation = upgradeMutation
    self.delegate = delegate
    self.parameters = parameters
    self.maker = maker
    plainActions = JSONCoder.plainCases(of: R.Action.self)
    frequentActions = FrequentForm(of: R.Action.self)
  }

  func describe(_ scope: SessionScope) -> ReactorDescription {
    func json(_ value: some Encodable) -> [UInt8] {
      (try? encode(value)) ?? Array("null".utf8)
    }
    return ReactorDescription(
      actionSchema: json(JSONSchema.derive(R.Action.self, for: .input)),
      mutationSchema: json(JSONSchema.derive(R.Mutation.self, for: .output)),
      stateSchema: json(JSONSchema.derive(R.State.self, for: .output)),
      initialState: (try? initial(scope)).map { json($0) }
        ?? Array("null".utf8),
      exampleActions: exampleActions.map { json($0) },
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
    (try? encode(action)) ?? Array("null".utf8)
  }

  /// Decodes a client's JSON: unknown members are errors.
  @inlinable
  func decode<Value: Decodable>(
    _ type: Value.Type, from body: [UInt8]
  ) throws(ActionDecodingError) -> Value {
    do {
      let document = try JSONDocument(
        parsing: body, depthLimit: JSONDocument.embeddedDepthLimit)
      return try JSONCoder.decode(type, from: document.root, strictness: .strict)
    } catch {
      throw ActionDecodingError(error)
    }
  }

  // MARK: Folding without a session

  /// Decodes the State of a snapshot.
  ///
  /// The snapshot of a release with another State or Mutation is used only if retention has removed
  /// the first entries of the log. Otherwise, the log is folded again.
  func decode(_ snapshot: Snapshot) throws -> R.State {
    guard snapshot.schema == schema else { return try decode(foreign: snapshot) }
    return try JSONCoder.decode(R.State.self, from: snapshot.state)
  }

  /// Decodes the snapshot of a release with another State.
  private func decode(foreign snapshot: Snapshot) throws -> R.State {
    do {
      return try JSONCoder.decode(R.State.self, from: snapshot.state)
    } catch {
      throw LogError.unreadable(
        version: snapshot.version,
        reason: "the State has changed, and retention has removed the log before it.")
    }
  }

  /// Decodes the mutation of an entry; upgrades it first if it cannot be decoded as it is.
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
