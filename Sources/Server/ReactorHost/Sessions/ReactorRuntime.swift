internal import ReactorCore
internal import ReactorLog
internal import Shares
internal import Synchronization
internal import Telemetry

/// A hosted reactor: its sessions in memory and in the log.
final class ReactorRuntime: HostedReactor {
  /// The number of times that a log is verified whose oldest entries are deleted meanwhile.
  private static let refoldBound = 10

  let name: String
  let summary: String
  let examplePage: String?
  let environment: ReactorEnvironment
  private let errorSchema: [UInt8]?
  let projector: StateProjector?
  private let authorizer: Authorizer?
  private let slots: SlotTable
  private let streamedSessions = StreamedSessions()
  private let described = Mutex<ReactorDescription?>(nil)

  init(
    name: String, summary: String, examplePage: String?, witness: ReactorWitness,
    errorSchema: [UInt8]?,
    authorizer: Authorizer?, projector: StateProjector?, observerMaker: CommitObserverMaker?,
    environment: HostEnvironment
  ) {
    self.name = name
    self.summary = summary
    self.examplePage = examplePage
    self.errorSchema = errorSchema
    self.authorizer = authorizer
    self.projector = projector
    self.environment = ReactorEnvironment(witness, observerMaker, in: environment)
    slots = SlotTable(of: name, in: self.environment)
  }

  /// The type of the reactor.
  var type: any Any.Type { environment.witness.type }

  var description: ReactorDescription {
    if let known = described.withLock({ $0 }) { return known }
    var description = environment.witness.describe(
      environment.scope(of: SessionKey(reactor: name, id: SessionScope.catalogueID), nil))
    description.errorSchema = errorSchema
    if let projector {
      description.stateSchema = projector.viewSchema().bytes
      description.initialState = Array("null".utf8)
    }
    described.withLock { [description] in $0 = description }
    return description
  }

  /// The first error of the reactor's declaration, or `nil` if there is none.
  var declarationProblem: String? {
    let key = SessionKey(reactor: name, id: SessionScope.catalogueID)
    do {
      return try environment.witness.declarationProblem(environment.scope(of: key, nil))
    } catch {
      return "its instance cannot be created: \(error)"
    }
  }

  // MARK: Authorization

  var hasDelegate: Bool { authorizer != nil }

  var isQuarantined: Bool {
    environment.settings.marking?.isQuarantined(reactor: name) == true
  }

  func authorize(
    _ access: SessionAccess, of id: String, for principal: Principal?, parameters: [UInt8]?,
    knowing known: FoundSession?
  ) throws {
    guard let authorizer else { return }
    try authorizer(
      AuthorizedRequest(
        access: access, session: SessionKey(reactor: name, id: id), principal: principal,
        limit: environment.settings.actionLimit, parameters: parameters
      ) { [self] in
        if let session = liveSession(id) { return .open(session) }
        return known ?? environment.absent.begun(id).map { .absent($0.current) }
      })
  }

  // MARK: Sessions

  func normalize(parameters: [UInt8]) throws(ActionDecodingError) -> [UInt8] {
    guard let rules = environment.witness.parameters else {
      throw .invalid(pointer: "", expected: [], detail: "The reactor takes no parameters.")
    }
    let normal = try rules.normalize(parameters)
    guard normal.count <= ParameterRules.limit else {
      throw .invalid(
        pointer: "", expected: [],
        detail: "Parameters have at most \(ParameterRules.limit) bytes.")
    }
    return normal
  }

  func session(
    _ id: String, for intent: SessionIntent, parameters: [UInt8]?
  ) async throws(SessionError) -> OpenedSession {
    try await open(id, for: intent, parameters) { $0 }
  }

  func use(
    _ id: String, _ body: @escaping @Sendable (Result<any Session, SessionError>) -> Void
  ) {
    if !isQuarantined, let session = liveSession(id) { return body(.success(session)) }
    environment.sessions.load(for: .current) { [self] in
      do throws(SessionError) {
        try await open(id, for: .use) { body(.success($0.session)) }
      } catch {
        body(.failure(error))
      }
    }
  }

  func start(_ body: @escaping @Sendable () async -> Void) {
    environment.background.start(for: Account.current.map { WorkOwner($0) } ?? .current, body)
  }

  private func open<Value: Sendable>(
    _ id: String, for intent: SessionIntent, _ parameters: [UInt8]? = nil,
    _ use: (OpenedSession) -> Value
  ) async throws(SessionError) -> Value {
    guard !isQuarantined else { throw .reactorQuarantined }
    return try await slots.useOrCreate(id).open(for: intent, parameters: parameters, use)
  }

  func findSession(_ id: String) async throws(SessionError) -> FoundSession {
    if let session = liveSession(id) { return .open(session) }
    guard !isQuarantined else { throw .reactorQuarantined }
    let key = SessionKey(reactor: name, id: id)
    guard try environment.log.session(key).exists() else { return try findAbsentSession(id) }
    return .open(try await session(id, for: .use).session)
  }

  private func findAbsentSession(_ id: String) throws(SessionError) -> FoundSession {
    guard environment.settings.sessionCreation == .implicit else { throw .unknown }
    // Look again: meanwhile, the session may have been created in memory only.
    if let session = liveSession(id) { return .open(session) }
    let rules = environment.witness.parameters
    if let rules, rules.defaults == nil { throw .needsParameters }
    do {
      let key = SessionKey(reactor: name, id: id)
      return .absent(try FirstState(environment: environment).read(key, rules?.defaults))
    } catch {
      throw .log(.corrupt("\(error)"))
    }
  }

  func streamSource(_ id: String) async throws(SessionError) -> any SessionSource {
    if let session = liveSession(id) { return session }
    // Register the source before the search for the session, so that a creation meanwhile is
    // reported to it.
    let absent = environment.absent.source(
      of: SessionKey(reactor: name, id: id), in: environment)
    switch try await findSession(id) {
    case .open(let session): return session
    // Use a session in memory for which other requests still wait: it may have been created
    // before the source was registered.
    case .absent(let initial): return slots.find(id)?.live ?? absent.begin(with: initial)
    }
  }

  func liveStreamSource(_ id: String) -> (any SessionSource)? {
    liveSession(id) ?? environment.absent.begun(id)
  }

  /// Creates, in memory, the sessions that have streams but do not exist, on a queue.
  func createStreamedSessions() {
    streamedSessions.create(environment.absent.all, on: environment.sessions) { [self] id in
      // Look again: meanwhile, the session may have been created, or its streams may have ended.
      guard environment.absent.contains(id) else { return }
      _ = try? await session(id, for: .use)
    }
  }

  func liveSession(_ id: String) -> (any Session)? {
    slots.use(id)?.available
  }

  func fork(
    _ source: String, at version: Int?, to id: String, parameters: [UInt8]?
  ) async throws(SessionError) -> OpenedSession {
    guard !isQuarantined else { throw .reactorQuarantined }
    let (origin, target) = (try slots.useOrCreate(source), try slots.useOrCreate(id))
    if origin.live == nil, try !origin.log.exists() {
      for id in [source, id] { environment.evictable.insert(id) }
      throw .unknown
    }
    let session = try await origin.open(for: .use, parameters: nil) { $0.session }
    let cursor: Cursor
    do throws(HistoryError) {
      // Fails if the version is not available.
      cursor = try await session.state(at: version ?? session.current.version).cursor
      // Other parameters require a fold of the complete log, from version 0.
      if parameters != nil, cursor.version > 0 { _ = try await session.replay(after: nil) }
    } catch {
      throw .history(error)
    }
    return try await target.fork(session.key, at: cursor, parameters: parameters)
  }

  func endSession(_ id: String) async throws(SessionError) {
    try await slots.useOrCreate(id).end()
  }

  func sessions(
    after id: String?, limit: Int
  ) async throws(SessionError) -> [SessionSummary] {
    do throws(LogError) {
      let stored = try environment.log.sessions(of: name, after: id, limit: limit)
      return merge(stored, after: id, limit: limit)
    } catch {
      throw .log(error)
    }
  }

  /// Merges a page of stored sessions with the more recent summaries in memory.
  private func merge(
    _ stored: [SessionSummary], after id: String?, limit: Int
  ) -> [SessionSummary] {
    var merged = Dictionary(stored.map { ($0.id, $0) }) { $1 }
    for summary in liveSummaries(after: id, limit: limit) { merged[summary.id] = summary }
    return Array(merged.values.sorted { $0.id < $1.id }.prefix(limit))
  }

  /// Returns the first sessions in memory after an id.
  func liveSummaries(after id: String?, limit: Int) -> [SessionSummary] {
    var found: [SessionSummary] = []
    var last = id
    while found.count < limit {
      let page = liveIDs(after: last, limit: limit)
      guard !page.isEmpty else { break }
      last = page.last
      // Skip the slots without a session: it is being loaded, or has ended.
      found += page.compactMap { summary(of: $0) }
    }
    return found
  }

  private func summary(of id: String) -> SessionSummary? {
    guard let session = slots.find(id)?.live else { return nil }
    // With several processes, the streams of a session that does not exist have it in memory at its owner.
    let isUsed =
      session.isStored || session.current.version > 0 || session.activity.running > 0
    guard environment.router == nil || isUsed else { return nil }
    return SessionSummary(
      id: id, cursor: session.current.cursor, subscribers: session.subscriberCount,
      effects: session.activity.running, lastActiveAt: session.lastActiveAt)
  }

  /// Reads the scope of a stored session for its instances.
  private func scope(of key: SessionKey) throws(LogError) -> SessionScope {
    var parameters: [UInt8]?
    if case .stored(let stored) = try environment.log.session(key).record() {
      parameters = stored.parameters
    }
    return environment.scope(of: key, parameters)
  }

  func refold(_ id: String) throws(LogError) -> RefoldReport {
    let key = SessionKey(reactor: name, id: id)
    let log = environment.log.session(key)
    for _ in 0..<Self.refoldBound {
      let before = try LogExtent(of: log)
      let result = Result { () throws(LogError) in try refold(log, key) }
      if case .success(let report) = result, report.findings.isEmpty { return report }
      // Another process can end the session or shorten its log between two reads.
      guard try LogExtent(of: log) != before else { return try result.get() }
    }
    throw .unavailable("The log of \(key) was shortened too often during its verification.")
  }

  private func refold(_ log: any SessionLog, _ key: SessionKey) throws(LogError) -> RefoldReport {
    do {
      return try environment.witness.verify(log, try scope(of: key))
    } catch let error as LogError {
      throw error
    } catch {
      throw .corrupt("\(error)")
    }
  }

  func storedState(_ id: String, at cursor: Cursor) async throws(LogError) -> [UInt8]? {
    if let session = liveSession(id), session.epoch == cursor.epoch {
      let current = session.current
      if current.version == cursor.version { return current.json }
    }
    guard !isQuarantined else { throw .unavailable("The reactor is quarantined.") }
    let key = SessionKey(reactor: name, id: id)
    let log = environment.log.session(key)
    guard case .stored(let stored) = try log.record(), stored.epoch == cursor.epoch else {
      return nil
    }
    let scope = environment.scope(of: key, stored.parameters)
    let version = cursor.version
    guard let fold = try await LogFolder.read(version, of: scope, from: log, in: environment)
    else { return nil }
    let state = try CodeMark(key, environment).reading { try fold.encodeShown() }
    // Check the epoch again: another history may have replaced this one during the fold.
    guard case .stored(let stored) = try log.record(), stored.epoch == cursor.epoch
    else { return nil }
    return state
  }

  func storedHistory(_ id: String) throws(LogError) -> (any HistorySource)? {
    let key = SessionKey(reactor: name, id: id)
    let log = environment.log.session(key)
    guard case .stored(let stored) = try log.record() else { return nil }
    return SessionHistory(of: key, stored, in: log, environment)
  }

  /// Ends all sessions in memory, as the end of the process does.
  func interruptSessions() {
    var last: String?
    while case let ids = slots.ids(after: last, limit: 1000), let final = ids.last {
      for id in ids {
        slots.find(id)?.live?.close(
          .interrupted, fault: .unavailable("The process has ended."))
      }
      last = final
    }
  }

  var liveSessionCount: Int {
    counts.sessions.load(ordering: .relaxed)
  }

  var failedEffects: [FailedEffect] {
    let blocked = environment.blocked.latest
    let failed = environment.failedEffects.latest
    guard !blocked.isEmpty else { return failed }
    return (blocked + failed).sorted { $0.time.milliseconds > $1.time.milliseconds }
  }

  func canDecode(action: [UInt8]) -> Bool {
    let action = AcceptedAction(
      id: .init(request: 0, place: 0), action: action, isInArray: false, key: nil, at: .now)
    return (try? environment.witness.decodeJournal([action])) != nil
  }

  func storedFailures() throws(LogError) -> [StoredFailure] {
    try environment.log.failures(of: name)
  }

  /// The number of running effects of its sessions.
  var runningEffectCount: Int { environment.effectQuota.runningCount }

  /// The counters of all its sessions.
  var counts: ReactorCounts { environment.counts }

  func sweep() {
    slots.sweep()
  }

  func relieveMemory() {
    slots.relieveMemory()
  }

  // MARK: Release

  /// Returns the session in memory, even if earlier requests still wait for it.
  func residentSession(_ id: String) -> LiveSession? {
    slots.find(id)?.live
  }

  /// Returns the session for an observer of its State, if it is in memory or is about to be.
  func observableSession(_ id: String) -> LiveSession? {
    slots.find(id)?.observable
  }

  /// Evicts a session from memory now, unless it is in use.
  ///
  /// - Returns: Whether it is not in memory.
  func evict(_ id: String) -> Bool {
    slots.evict(id)
  }

  /// Returns the ids of the slots after an id, at most `limit`, in ascending order.
  func liveIDs(after id: String?, limit: Int) -> [String] {
    slots.ids(after: id, limit: limit)
  }
}

extension SessionLog {
  /// Reads whether the log has the session, ended or not.
  fileprivate func exists() throws(SessionError) -> Bool {
    do throws(LogError) {
      return try record() != .none
    } catch {
      throw .log(error)
    }
  }
}
