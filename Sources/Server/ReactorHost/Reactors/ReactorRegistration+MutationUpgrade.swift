public import ReactorCoding
public import ReactorCore
public import ReactorSessions

/// Converts the JSON of an old mutation into the JSON of one that the reactor decodes now.
///
/// Unlike `JSONUpgrade`, it is called only for mutations that cannot be decoded.
public typealias MutationUpgrade = @Sendable (_ mutation: String) throws -> String

/// Registrations that convert the text of mutations.
extension ReactorRegistration {
  /// Registers a reactor whose old mutations a function converts, see the initializer with `JSONUpgrade`.
  @inlinable @_disfavoredOverload
  public init<R: Reactor>(
    _ name: String, summary: String, exampleActions: [R.Action] = [],
    whenInterrupted: InterruptionPolicy = .runAgain,
    upgradeMutation: MutationUpgrade?, delegate: (any ReactorDelegate<R>)? = nil,
    make: @escaping @Sendable () -> R
  ) where R.Action: Codable, R.Mutation: Codable, R.State: Codable {
    self.init(
      name, summary: summary, exampleActions: exampleActions, whenInterrupted: whenInterrupted,
      upgradeMutation: Self.upgrade(upgradeMutation), delegate: delegate, make: make)
  }

  /// Registers a reactor with a context, see the initializer with `JSONUpgrade`.
  @inlinable @_disfavoredOverload
  public init<R: Reactor>(
    _ name: String, summary: String, exampleActions: [R.Action] = [],
    whenInterrupted: InterruptionPolicy = .runAgain,
    upgradeMutation: MutationUpgrade?, delegate: (any ReactorDelegate<R>)? = nil,
    make: @escaping @Sendable (SessionContext<NoParameters>) -> R
  ) where R.Action: Codable, R.Mutation: Codable, R.State: Codable {
    self.init(
      name, summary: summary, exampleActions: exampleActions, whenInterrupted: whenInterrupted,
      upgradeMutation: Self.upgrade(upgradeMutation), delegate: delegate, make: make)
  }

  /// Registers a reactor with parameters, see the initializer with `JSONUpgrade`.
  @inlinable @_disfavoredOverload
  public init<R: Reactor, Parameters: Codable & Sendable>(
    _ name: String, summary: String, parameters: Parameters.Type,
    defaultParameters: Parameters? = nil, exampleParameters: Parameters? = nil,
    exampleActions: [R.Action] = [],
    whenInterrupted: InterruptionPolicy = .runAgain,
    upgradeMutation: MutationUpgrade?, delegate: (any ReactorDelegate<R>)? = nil,
    make: @escaping @Sendable (SessionContext<Parameters>) -> R
  ) where R.Action: Codable, R.Mutation: Codable, R.State: Codable {
    self.init(
      name, summary: summary, parameters: parameters, defaultParameters: defaultParameters,
      exampleParameters: exampleParameters, exampleActions: exampleActions,
      whenInterrupted: whenInterrupted, upgradeMutation: Self.upgrade(upgradeMutation),
      delegate: delegate, make: make)
  }

  @usableFromInline
  static func upgrade(_ convert: MutationUpgrade?) -> JSONUpgrade? {
    convert.map { JSONUpgrade(text: $0) }
  }
}
