public import ReactorCoding
public import ReactorCore
internal import ReactorLog
public import ReactorSessions
internal import Telemetry

/// A reactor to host: its name, a summary and how to create an instance.
public struct ReactorRegistration: Sendable {
  /// The name in addresses; it has the form of a session id.
  public let name: String

  /// The address of a page that uses the reactor, for the catalogue and the inspector, or `nil` for none.
  public var examplePage: String?

  /// The schema of the errors that the reactor declares, or `nil` for none.
  private var errorSchema: [UInt8]?

  private let summary: String
  private let witness: ReactorWitness
  private let observerMaker: CommitObserverMaker?
  private let authorizer: Authorizer?
  private var projector: StateProjector?

  /// Registers a reactor whose actions, mutations and states are `Codable`.
  ///
  /// ```swift
  /// ReactorRegistration("counter", summary: "A number", exampleActions: [.increase, .add(5)]) {
  ///   CounterReactor()
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - name: The name in addresses.
  ///   - summary: One sentence for people.
  ///   - exampleActions: Actions to try, shown in the catalogue.
  ///   - whenInterrupted: The policy for an accepted action that the end of the process interrupts.
  ///   - upgradeMutation: Converts mutations in the log that an earlier release wrote. The log itself
  ///     does not change. A session with a mutation that cannot be decoded then cannot be loaded; others
  ///     are not affected.
  ///   - upgradeAction: Converts actions of an earlier release: of timers, accepted ones that have not
  ///     ended, and those of clients and sends that this release cannot decode.
  ///   - upgradeState: Converts the State of a snapshot that an earlier release wrote, if retention has
  ///     removed the log before it.
  ///   - delegate: Decides which requests are permitted, see ``ReactorDelegate``.
  ///   - projection: What clients see of the State; without one, all of it.
  ///   - make: Creates an instance: one per session in memory, and one per fold of a log. Called on
  ///     any thread; it must be cheap.
  @inlinable
  public init<R: Reactor>(
    _ name: String, summary: String, exampleActions: [R.Action] = [],
    whenInterrupted: InterruptionPolicy = .runAgain,
    upgradeMutation: JSONUpgrade? = nil, upgradeAction: JSONUpgrade? = nil,
    upgradeState: JSONUpgrade? = nil, delegate: (any ReactorDelegate<R>)? = nil,
    projection: (any StateProjection<R.State>)? = nil,
    make: @escaping @Sendable () -> R
  ) where R.Action: Codable, R.Mutation: Codable, R.State: Codable {
    let type = ReactorType<R>(
      exampleActions: exampleActions, interruptionPolicy: whenInterrupted,
      upgrades: StoredUpgrades(
        mutation: upgradeMutation, action: upgradeAction, state: upgradeState),
      delegate: delegate, maker: { _ in make })
    self.init(name, summary: summary, type, type.hotPath())
    project(by: projection)
  }

  /// Registers a reactor whose instances know their session.
  ///
  /// ```swift
  /// ReactorRegistration("room", summary: "A chat room") { context in
  ///   RoomReactor(id: context.session.id)
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - name: The name in addresses.
  ///   - summary: One sentence for people.
  ///   - exampleActions: Actions to try, shown in the catalogue.
  ///   - whenInterrupted: The policy for an accepted action that the end of the process interrupts.
  ///   - upgradeMutation: Converts old mutations, see the initializer for reactors without a context.
  ///   - upgradeAction: Converts old actions, see there.
  ///   - upgradeState: Converts old snapshots, see there.
  ///   - delegate: Decides which requests are permitted, see ``ReactorDelegate``.
  ///   - projection: What clients see of the State; without one, all of it.
  ///   - make: Creates an instance: one per session in memory, one per fold of a log, and one for the
  ///     catalogue, whose session has the id `_`. Called on any thread; it must be cheap.
  @inlinable
  public init<R: Reactor>(
    _ name: String, summary: String, exampleActions: [R.Action] = [],
    whenInterrupted: InterruptionPolicy = .runAgain,
    upgradeMutation: JSONUpgrade? = nil, upgradeAction: JSONUpgrade? = nil,
    upgradeState: JSONUpgrade? = nil, delegate: (any ReactorDelegate<R>)? = nil,
    projection: (any StateProjection<R.State>)? = nil,
    make: @escaping @Sendable (SessionContext<NoParameters>) -> R
  ) where R.Action: Codable, R.Mutation: Codable, R.State: Codable {
    let type = ReactorType<R>(
      exampleActions: exampleActions, interruptionPolicy: whenInterrupted,
      upgrades: StoredUpgrades(
        mutation: upgradeMutation, action: upgradeAction, state: upgradeState),
      delegate: delegate,
      maker: { scope in
        let context = SessionContext(scope, parameters: NoParameters())
        return { make(context) }
      })
    self.init(name, summary: summary, type, type.hotPath())
    project(by: projection)
  }

  /// Registers a reactor whose sessions have parameters.
  ///
  /// ```swift
  /// ReactorRegistration("room", summary: "A chat room", parameters: RoomParameters.self) { context in
  ///   RoomReactor(title: context.parameters.title)
  /// }
  /// ```
  ///
  /// Clients pass them when they create a session. They are stored with it and never change; a fork
  /// inherits them unless it has its own.
  ///
  /// - Parameters:
  ///   - name: The name in addresses.
  ///   - summary: One sentence for people.
  ///   - parameters: The type of the parameters.
  ///   - defaultParameters: The parameters of a session that is created without any. `nil` makes
  ///     parameters required: only a PUT or POST with parameters creates a session then.
  ///   - exampleParameters: Parameters to try, shown in the catalogue.
  ///   - exampleActions: Actions to try, shown in the catalogue.
  ///   - whenInterrupted: The policy for an accepted action that the end of the process interrupts.
  ///   - upgradeMutation: Converts old mutations, see the initializer for reactors without a context.
  ///   - upgradeAction: Converts old actions, see there.
  ///   - upgradeState: Converts old snapshots, see there.
  ///   - upgradeParameters: Converts the parameters of sessions that an earlier release created. A member
  ///     that they lack has the value of `defaultParameters`.
  ///   - delegate: Decides which requests are permitted, see ``ReactorDelegate``.
  ///   - projection: What clients see of the State; without one, all of it.
  ///   - make: Creates an instance: one per session in memory, one per fold of a log, and one for the
  ///     catalogue with the example or default parameters, whose session has the id `_`. Called on
  ///     any thread; it must be cheap.
  @inlinable
  public init<R: Reactor, Parameters: Codable & Sendable>(
    _ name: String, summary: String, parameters: Parameters.Type,
    defaultParameters: Parameters? = nil, exampleParameters: Parameters? = nil,
    exampleActions: [R.Action] = [],
    whenInterrupted: InterruptionPolicy = .runAgain,
    upgradeMutation: JSONUpgrade? = nil, upgradeAction: JSONUpgrade? = nil,
    upgradeState: JSONUpgrade? = nil, upgradeParameters: JSONUpgrade? = nil,
    delegate: (any ReactorDelegate<R>)? = nil,
    projection: (any StateProjection<R.State>)? = nil,
    make: @escaping @Sendable (SessionContext<Parameters>) -> R
  ) where R.Action: Codable, R.Mutation: Codable, R.State: Codable {
    let parameters = SessionParameters(
      parameters, default: defaultParameters, example: exampleParameters,
      upgrade: upgradeParameters)
    let type = ReactorType<R>(
      exampleActions: exampleActions, interruptionPolicy: whenInterrupted,
      upgrades: StoredUpgrades(
        mutation: upgradeMutation, action: upgradeAction, state: upgradeState),
      delegate: delegate, parameters: parameters.rules,
      maker: { scope in
        let context = SessionContext(scope, parameters: try parameters.value(in: scope))
        return { make(context) }
      })
    self.init(name, summary: summary, type, type.hotPath())
    project(by: projection)
  }

  @usableFromInline
  mutating func project<State: Codable & Sendable>(by projection: (any StateProjection<State>)?) {
    projector = projection.map { StateProjector($0) }
  }

  @usableFromInline
  init<R>(
    _ name: String, summary: String, _ type: ReactorType<R>, _ hotPath: ReactorWitness.HotPath
  ) {
    self.name = name
    self.summary = summary
    witness = type.witness(hotPath)
    authorizer = type.authorizer
    if let delegate = type.delegate, delegate.observesCommits {
      observerMaker = { DelegateObserver<R>(delegate, of: $0) }
    } else {
      observerMaker = nil
    }
  }

  /// Declares the errors with which the reactor rejects actions, for the types of clients.
  ///
  /// ```swift
  /// ReactorRegistration("auction", summary: "An auction") { … }
  ///   .rejecting(with: AuctionReactor.Rejection.self)
  /// ```
  ///
  /// The catalogue has their schema, and `types.ts` the type `Rejection`. Other errors have codes, too.
  ///
  /// - Parameter errors: The type of the errors, usually an enum.
  /// - Returns: The registration with the declaration.
  public func rejecting<E: ActionError & Codable>(with errors: E.Type) -> ReactorRegistration {
    var registration = self
    registration.errorSchema = ErrorSchema.derive(errors)
    return registration
  }

  /// The fingerprint of State and Mutation.
  ///
  /// A release that changes them has another one.
  public var schema: String { witness.schema() }

  /// The names of the types in State, mutations, actions and parameters that the schemas cannot
  /// describe, because their `init(from:)` throws for every placeholder value; usually empty.
  ///
  /// A service logs them when it starts: the documents, forms and client types that are derived from the
  /// schemas accept any value in their place.
  public var undescribedTypes: [String] { witness.undescribedTypes() }

  /// The first error of the reactor's declaration that the compiler does not find, as one line, or `nil`
  /// if there is none.
  ///
  /// It creates an instance. A service reports the error and does not start.
  public var declarationProblem: String? {
    let environment = HostEnvironment(
      settings: HostSettings(), log: MemoryLog(), logger: .silent)
    return host(in: environment).declarationProblem
  }

  /// Creates the reactor's table of sessions.
  func host(in environment: HostEnvironment) -> ReactorRuntime {
    ReactorRuntime(
      name: name, summary: summary, examplePage: examplePage, witness: witness,
      errorSchema: errorSchema, authorizer: authorizer, projector: projector,
      observerMaker: observerMaker,
      environment: environment)
  }
}
