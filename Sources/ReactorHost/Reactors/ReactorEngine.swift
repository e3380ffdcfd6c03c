public import ReactorCoding
public import ReactorCore
internal import Synchronization

/// Runs one instance of a reactor for a session.
///
/// What an action comes by is specialized for the reactor in the module that registers it, see
/// `EngineCalls`. What is called now and then is called as usual.
@usableFromInline
final class ReactorEngine<R: Reactor>: Sendable
where R.Action: Codable, R.Mutation: Codable, R.State: Codable {
  @usableFromInline let blueprint: ReactorBlueprint<R>
  @usableFromInline let pipeline: Pipeline<R.Action, R.Mutation, R.State>
  @usableFromInline let session = SessionLink()
  @usableFromInline let restored: R.State?

  /// Makes an engine.
  ///
  /// - Parameters:
  ///   - blueprint: Makes the instance.
  ///   - restored: The fold of the session's log; `nil` for a session without mutations.
  @inlinable
  init(_ blueprint: ReactorBlueprint<R>, restored: R.State?) {
    self.blueprint = blueprint
    self.restored = restored
    pipeline = blueprint.make().keepingPipeline
  }

  deinit {
    pipeline.shutDown()
  }

  /// Connects the reactor's streams.
  @inlinable
  func connect() {
    pipeline.connect(from: restored, in: session) { [session, blueprint] report in
      Self.tell(report, to: session, blueprint)
    }
  }

  /// Decodes an action, or an array of actions.
  @inlinable
  func prepareActions(_ body: [UInt8]) throws(ActionDecodingError) -> PreparedActions {
    if let place = blueprint.plainActions.firstIndex(where: { $0.json == body }) {
      return PreparedActions(plain: place)
    }
    guard PreparedActions.areArray(body) else {
      let action = try blueprint.decode(R.Action.self, from: body)
      return PreparedActions(count: 1, isArray: false) { [pipeline, blueprint] in
        Self.run(action, json: blueprint.text(of: action), for: $0, at: 0, in: pipeline)
      }
    }
    let actions = try blueprint.decode([R.Action].self, from: body)
    return PreparedActions(count: actions.count, isArray: true) { [pipeline, blueprint] request in
      for (index, action) in actions.enumerated() {
        Self.run(action, json: blueprint.text(of: action), for: request, at: index, in: pipeline)
      }
    }
  }

  /// Runs one of the blueprint's plain actions.
  @inlinable
  func runPlain(_ place: Int, for request: ActionRequest) {
    let plain = blueprint.plainActions[place]
    Self.run(plain.value, json: plain.json, for: request, at: 0, in: pipeline)
  }

  @inlinable
  static func run(
    _ action: R.Action, json: [UInt8], for request: ActionRequest, at index: Int,
    in pipeline: Pipeline<R.Action, R.Mutation, R.State>
  ) {
    let ticket = ActionTicket(request, index: index, json: json)
    _ = pipeline.runInContext(action, as: ticket)
    request.started(ticket)
  }

  @inlinable
  static func tell(
    _ report: PipelineReport<R.Mutation, R.State>, to session: SessionLink,
    _ blueprint: ReactorBlueprint<R>
  ) {
    switch report {
    case .connected(let shown): session.didConnect(Result { try blueprint.encode(shown) })
    case .reduced(let transition):
      do {
        let coder = JSONCoder.Series(in: blueprint.spareBuffers)
        let mutation =
          try blueprint.knownMutations?.text(
            of: transition.mutation, orEncode: { try coder.encode($0) })
          ?? coder.encode(transition.mutation)
        let state = try coder.encode(transition.shown)
        coder.end(keepingBuffersIn: blueprint.spareBuffers)
        session.didReduce(mutation, to: state, because: transition.origin)
      } catch {
        session.didFailToEncode(error)
      }
    case .failed(let error, let stage): session.didFail(error, in: stage)
    case .settled: session.didSettle()
    }
  }
}

extension ReactorEngine: SessionEngine {
  func connect(to session: LiveSession) {
    self.session.set(session)
    blueprint.calls.connect(self)
  }

  func prepare(_ body: [UInt8]) throws(ActionDecodingError) -> PreparedActions {
    try blueprint.calls.prepare(self, body)
  }

  func run(_ actions: PreparedActions, for request: ActionRequest) {
    switch actions.content {
    case .plain(let place): blueprint.calls.runPlain(self, place, request)
    case .decoded(let run): run(request)
    }
  }

  func perform(bound: Int, _ work: @escaping @Sendable () -> Void) -> Bool {
    blueprint.calls.perform(self, bound, work)
  }

  func performIfFree(_ work: () -> Void) -> Bool {
    blueprint.calls.performIfFree(self, work)
  }

  func prepare(_ accepted: [AcceptedAction]) throws -> PreparedActions {
    let actions = try accepted.map { ($0, try blueprint.decodeAction($0.action)) }
    return PreparedActions(count: actions.count, isArray: true) { [pipeline] request in
      for (accepted, action) in actions {
        let ticket = ActionTicket(request, index: accepted.id.place, json: accepted.action)
        _ = pipeline.runInContext(action, as: ticket)
      }
    }
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

  var activity: SessionActivity {
    SessionActivity(running: pipeline.runningEffectCount, progress: pipeline.effectProgress)
  }

  func effects(after id: EffectID?, limit: Int) -> [RunningEffect] {
    pipeline.effects(after: id, limit: limit).map { status in
      RunningEffect(
        id: status.id.description, action: (status.effect as? ActionTicket)?.json,
        startedAt: Timestamp(milliseconds: status.startedAt), progress: status.progress)
    }
  }

  func cancelEffect(_ id: EffectID) {
    pipeline.cancelEffect(id)
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
