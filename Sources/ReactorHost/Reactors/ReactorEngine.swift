internal import ReactorCore
internal import Synchronization

/// Runs one instance of a reactor for a session.
final class ReactorEngine<R: Reactor>: SessionEngine
where R.Action: Codable, R.Mutation: Codable, R.State: Codable {
  private let blueprint: ReactorBlueprint<R>
  private let pipeline: Pipeline<R.Action, R.Mutation, R.State>
  private let keeper: ReactorKeeper
  private let restored: R.State?
  private let session = WeakSession()

  /// Makes an engine.
  ///
  /// - Parameters:
  ///   - blueprint: Makes the instance.
  ///   - restored: The fold of the session's log; `nil` for a session without mutations.
  init(_ blueprint: ReactorBlueprint<R>, restored: R.State?) {
    self.blueprint = blueprint
    self.restored = restored
    let instance = blueprint.make()
    pipeline = instance.pipeline
    keeper = ReactorKeeper(instance)
  }

  func connect(to session: LiveSession) {
    self.session.set(session)
    pipeline.connect(from: restored, in: SessionContext(session), delegate: self)
  }

  func prepare(_ body: [UInt8]) throws(ActionDecodingError) -> PreparedActions {
    let (actions, isArray) = try blueprint.decodeActions(body)
    return PreparedActions(count: actions.count, isArray: isArray) { [self] request in
      for index in actions.indices {
        let action = actions[index]
        let json = (try? blueprint.encode(action)) ?? Array("null".utf8)
        _ = pipeline.runInContext(action, as: ActionTicket(request, index: index, json: json))
      }
    }
  }

  func perform(bound: Int, _ work: @escaping @Sendable () -> Void) -> Bool {
    pipeline.perform(bound: bound, work)
  }

  var isCurrent: Bool {
    pipeline.isCurrent
  }

  func attribute(_ origin: MutationOrigin, _ body: () -> Void) {
    pipeline.attribute(origin, body)
  }

  func folded() -> [UInt8]? {
    pipeline.foldedInContext.flatMap { try? blueprint.encode($0) }
  }

  var load: (effects: Int, waiting: Int) {
    (pipeline.runningEffectCount, pipeline.waitingCount)
  }

  var isIdle: Bool {
    pipeline.runningEffectCount == 0 && pipeline.waitingCount == 0
  }

  func shutDown() {
    pipeline.shutDown()
  }

  func state(at version: Int, in log: any SessionLog) throws -> [UInt8]? {
    try replay(after: version, in: log)?.state()
  }

  func replay(after version: Int, in log: any SessionLog) throws -> (any StateFolding)? {
    try blueprint.fold(log, upTo: version).map { ReactorFold(blueprint, $0.state) }
  }
}

extension ReactorEngine: PipelineDelegate {
  typealias Mutation = R.Mutation
  typealias State = R.State

  func pipelineDidConnect(_ shown: R.State) {
    session.current?.didConnect(Result { try blueprint.encode(shown) })
  }

  func pipelineDidReduce(_ transition: Transition<R.Mutation, R.State>) {
    guard let session = session.current else { return }
    do {
      session.didReduce(
        try blueprint.encode(transition.mutation), to: try blueprint.encode(transition.shown),
        because: transition.origin)
    } catch {
      session.didFailToEncode(error)
    }
  }

  func pipelineDidFail(_ error: any Error, in stage: ReactorStage) {
    session.current?.didFail(error, in: stage)
  }

  func pipelineDidSettle() {
    session.current?.appendPending()
  }
}

/// A fold of the log apart from any session: of a moment of the past.
private final class ReactorFold<R: Reactor>: StateFolding
where R.Action: Codable, R.Mutation: Codable, R.State: Codable {
  private let blueprint: ReactorBlueprint<R>
  private let current: Mutex<R.State>

  init(_ blueprint: ReactorBlueprint<R>, _ state: R.State) {
    self.blueprint = blueprint
    current = Mutex(state)
  }

  func state() throws -> [UInt8] {
    try blueprint.encode(blueprint.show(current.withLock { $0 }))
  }

  func fold(_ entry: LogEntry) throws {
    let next = try blueprint.reduce(current.withLock { $0 }, entry)
    current.withLock { $0 = next }
  }
}

/// Keeps a reactor alive without giving anyone a way to touch it.
private final class ReactorKeeper: Sendable {
  // Proof: never read. The instance ends with this object; its `deinit` touches its own lock only.
  private nonisolated(unsafe) let instance: AnyObject

  init(_ instance: AnyObject) {
    // Proof: as above.
    nonisolated(unsafe) let instance = instance
    self.instance = instance
  }
}

/// The session that an engine belongs to, which it does not keep in memory.
private final class WeakSession: Sendable {
  private struct Reference {
    weak var session: LiveSession?
  }

  private let reference = Mutex(Reference())

  var current: LiveSession? {
    reference.withLock { $0.session }
  }

  func set(_ session: LiveSession) {
    reference.withLock { $0.session = session }
  }
}
