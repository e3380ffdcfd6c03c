public import ReactorCoding
public import ReactorCore

/// Overloads for reactors that cannot be hosted, so that the compiler reports the missing
/// conformance.
///
/// Without them it reports that `ReactorInstance` does not conform to `ReactorProtocol`.
extension ReactorRegistration {
  /// Names `State` as the type without `Codable`.
  @available(
    *, unavailable, message: "the reactor's State must be Codable: write 'struct State: Codable'"
  )
  public init<R: ReactorProtocol>(
    _ name: String, summary: String, exampleActions: [R.Action] = [],
    whenInterrupted: InterruptionPolicy = .runAgain,
    upgradeMutation: JSONUpgrade? = nil, upgradeAction: JSONUpgrade? = nil,
    upgradeState: JSONUpgrade? = nil, delegate: (any Sendable)? = nil,
    make: @escaping @Sendable () -> R
  ) where R.Action: Codable, R.Mutation: Codable {
    fatalError("unavailable")
  }

  /// Names `Mutation` as the type without `Codable`.
  @available(
    *, unavailable,
    message: "the reactor's Mutation must be Codable: write 'enum Mutation: Codable'"
  )
  public init<R: ReactorProtocol>(
    _ name: String, summary: String, exampleActions: [R.Action] = [],
    whenInterrupted: InterruptionPolicy = .runAgain,
    upgradeMutation: JSONUpgrade? = nil, upgradeAction: JSONUpgrade? = nil,
    upgradeState: JSONUpgrade? = nil, delegate: (any Sendable)? = nil,
    make: @escaping @Sendable () -> R
  ) where R.Action: Codable, R.State: Codable {
    fatalError("unavailable")
  }

  /// Names `Action` as the type without `Codable`.
  @available(
    *, unavailable, message: "the reactor's Action must be Codable: write 'enum Action: Codable'"
  )
  public init<R: ReactorProtocol>(
    _ name: String, summary: String, exampleActions: [R.Action] = [],
    whenInterrupted: InterruptionPolicy = .runAgain,
    upgradeMutation: JSONUpgrade? = nil, upgradeAction: JSONUpgrade? = nil,
    upgradeState: JSONUpgrade? = nil, delegate: (any Sendable)? = nil,
    make: @escaping @Sendable () -> R
  ) where R.Mutation: Codable, R.State: Codable {
    fatalError("unavailable")
  }

  /// Names all three types where several of them lack `Codable`.
  @available(
    *, unavailable,
    message:
      "the reactor's Action, Mutation and State must be Codable: add ': Codable' to each of them"
  )
  public init<R: ReactorProtocol>(
    _ name: String, summary: String, exampleActions: [R.Action] = [],
    whenInterrupted: InterruptionPolicy = .runAgain,
    upgradeMutation: JSONUpgrade? = nil, upgradeAction: JSONUpgrade? = nil,
    upgradeState: JSONUpgrade? = nil, delegate: (any Sendable)? = nil,
    make: @escaping @Sendable () -> R
  ) {
    fatalError("unavailable")
  }

  /// Names the types where instances know their session.
  @available(
    *, unavailable,
    message:
      "the reactor's Action, Mutation and State must be Codable: add ': Codable' to those without it"
  )
  public init<R: ReactorProtocol>(
    _ name: String, summary: String, exampleActions: [R.Action] = [],
    whenInterrupted: InterruptionPolicy = .runAgain,
    upgradeMutation: JSONUpgrade? = nil, upgradeAction: JSONUpgrade? = nil,
    upgradeState: JSONUpgrade? = nil, delegate: (any Sendable)? = nil,
    make: @escaping @Sendable (SessionContext<NoParameters>) -> R
  ) {
    fatalError("unavailable")
  }

  /// Names the types where sessions have parameters.
  @available(
    *, unavailable,
    message:
      "the reactor's Action, Mutation, State and parameters must be Codable: add ': Codable' to those without it"
  )
  public init<R: ReactorProtocol, Parameters>(
    _ name: String, summary: String, parameters: Parameters.Type,
    defaultParameters: Parameters? = nil, exampleParameters: Parameters? = nil,
    exampleActions: [R.Action] = [], whenInterrupted: InterruptionPolicy = .runAgain,
    upgradeMutation: JSONUpgrade? = nil, upgradeAction: JSONUpgrade? = nil,
    upgradeState: JSONUpgrade? = nil, upgradeParameters: JSONUpgrade? = nil,
    delegate: (any Sendable)? = nil,
    make: @escaping @Sendable (SessionContext<Parameters>) -> R
  ) {
    fatalError("unavailable")
  }
}
