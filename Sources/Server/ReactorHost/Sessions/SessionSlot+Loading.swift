internal import ReactorLog
internal import Shares
internal import Telemetry

/// Loading and creating a session, as one of the slot's operations.
extension SessionSlot {
  /// Opens the session that is in memory or in the log, or creates it.
  func load(
    for intent: SessionIntent, _ parameters: [UInt8]?
  ) async throws(SessionError) -> OpenedSession {
    do {
      if let live { return try await open(live, for: intent, parameters) }
      if environment.settings.marking?.isQuarantined(key, .session) == true {
        throw SessionError.quarantined
      }
      // Create the session without a search for its record first: few have one, and the search costs
      // as much as the creation.
      if intent != .use {
        if let first = firstSession(parameters),
          (try? await store(first, replacesEnded: false)) != nil
        {
          return try didCreate(first)
        }
        // The thread of a request creates sessions; it does not read from disk.
        if environment.log.readsFromDisk { await environment.background.takeTurn() }
      }
      let loaded =
        intent == .create
        ? LoadedSession(try log.record()) : try log.load(schema: environment.witness.schema())
      switch loaded.record {
      case .stored(let stored): return try await open(stored, loaded, for: intent, parameters)
      case .ended:
        setEnded()
        guard intent != .use else { throw SessionError.ended }
        return try await create(newSession(Epoch.random(), parameters), for: intent, parameters)
      case .none where intent == .use: return try begin(firstSession(parameters))
      case .none: return try await create(firstSession(parameters), for: intent, parameters)
      }
    } catch let error as SessionError {
      throw error
    } catch {
      throw .log(reported(error))
    }
  }

  /// Opens the session that is in memory, which `ensure` stores.
  private func open(
    _ session: LiveSession, for intent: SessionIntent, _ parameters: [UInt8]?
  ) async throws -> OpenedSession {
    guard intent != .create else { throw SessionError.exists }
    guard !isOther(parameters, than: session.parameters) else { throw SessionError.otherParameters }
    if intent == .ensure, !session.isStored {
      do throws(LogError) {
        try await log.create(epoch: session.epoch, parameters: session.parameters)
        session.didStore()
      } catch .lost(let winner) {
        // The session's own first batch may have stored it.
        guard case .stored(let stored)? = try? log.record(), stored.epoch == session.epoch
        else { throw LogError.lost(to: winner) }
      }
    }
    return OpenedSession(session: session, wasCreated: false)
  }

  /// Begins a session that exists in memory only until its first mutation.
  private func begin(_ first: StoredSession?) throws -> OpenedSession {
    guard environment.settings.sessionCreation == .implicit else { throw SessionError.unknown }
    guard let first else { throw SessionError.needsParameters }
    let session = try begin(first, instance(first), isStored: false)
    publish(session)
    return OpenedSession(session: session, wasCreated: false)
  }

  /// Opens a session that the log has.
  private func open(
    _ stored: StoredSession, _ loaded: LoadedSession, for intent: SessionIntent,
    _ parameters: [UInt8]?
  ) async throws -> OpenedSession {
    guard intent != .create else { throw SessionError.exists }
    guard !isOther(parameters, than: stored.parameters ?? defaultParameters) else {
      throw SessionError.otherParameters
    }
    let session = try await restore(stored, loaded)
    publish(session)
    return OpenedSession(session: session, wasCreated: false)
  }

  /// Returns whether a request has other parameters than a session.
  private func isOther(_ parameters: [UInt8]?, than own: [UInt8]?) -> Bool {
    guard let parameters, parameters != own else { return false }
    // An earlier release may have stored them in another order, or without later members.
    let normal = own.flatMap { try? environment.witness.parameters?.normalize($0) }
    return parameters != normal
  }

  private var defaultParameters: [UInt8]? { environment.witness.parameters?.defaults }

  /// Logs the error for which the session cannot be opened, and converts it.
  private func reported(_ error: any Error) -> LogError {
    let error = error as? LogError ?? .corrupt("\(error)")
    let fields: KeyValuePairs = [
      "reactor": key.reactor, "session": key.id, "error": "\(error)",
    ]
    switch error {
    case .corrupt:
      environment.logger.log(
        LogLevel.error.within(Account.current ?? account), "session cannot be read",
        fields: fields.map { ($0.key, $0.value) })
    case .unreadable: environment.block(.init(kind: .session), of: key, action: nil, error)
    // The store logs these errors.
    case .lost, .full, .unavailable, .beyondShare, .unknown, .tooLarge: break
    }
    return error
  }

  // MARK: Creation

  /// Creates the session, or opens the one that another writer has created in the meantime.
  private func create(
    _ new: StoredSession?, for intent: SessionIntent, _ parameters: [UInt8]?
  ) async throws -> OpenedSession {
    guard let new else { throw SessionError.needsParameters }
    do throws(LogError) {
      try await store(new)
    } catch .lost(let winner) {
      let loaded = try log.load(schema: environment.witness.schema())
      guard case .stored(let stored) = loaded.record else { throw LogError.lost(to: winner) }
      return try await open(stored, loaded, for: intent, parameters)
    }
    return try didCreate(new)
  }

  /// Stores the record of a new session.
  private func store(
    _ new: StoredSession, replacesEnded: Bool = true
  ) async throws(LogError) {
    try await log.create(
      epoch: new.epoch, parameters: new.parameters, replacesEnded: replacesEnded)
  }

  /// Opens a session that the log has created.
  private func didCreate(_ stored: StoredSession) throws -> OpenedSession {
    assert(!CompletionThread.isCurrent, "A reactor delays the commits of all sessions.")
    let session = try begin(stored, instance(stored))
    publish(session)
    return OpenedSession(session: session, wasCreated: true)
  }

  /// Returns the record of the first session with the id, see ``newSession(_:_:)``.
  ///
  /// Other parameters result in another initial State. It gets a random epoch, so that no cursor of
  /// the usual initial State is valid for it.
  private func firstSession(_ parameters: [UInt8]?) -> StoredSession? {
    let isUsual = parameters == nil || parameters == defaultParameters
    return newSession(isUsual ? Epoch.first(of: key) : Epoch.random(), parameters)
  }

  /// Returns the record of a new session, or `nil` if its reactor requires parameters that are
  /// missing.
  private func newSession(_ epoch: String, _ parameters: [UInt8]?) -> StoredSession? {
    let parameters = parameters ?? defaultParameters
    guard parameters != nil || environment.witness.parameters == nil else { return nil }
    return StoredSession(
      epoch: epoch, version: 0, lastActiveAt: .now, parameters: parameters)
  }

  // MARK: Restoring

  /// The time after which every process has read the globals that another one has set.
  private static let globalsAge: Int64 = 60_000

  /// Folds a stored session, and restarts the actions that the end of a process interrupted.
  private func restore(
    _ stored: StoredSession, _ loaded: LoadedSession
  ) async throws -> LiveSession {
    let age = Timestamp.now.milliseconds - stored.lastActiveAt.milliseconds
    if let router = environment.router, !stored.globals.isEmpty, age < Self.globalsAge {
      // Another process may have delivered later values to the session: none is followed by an earlier one.
      await router.refreshGlobals(unlike: stored.globals)
    }
    let session = try await fold(stored, loaded)
    offer(session)
    defer { offer(nil) }
    await session.join()
    if !loaded.acceptedActions.isEmpty, !environment.settings.isPaused {
      // The journal's actions are executed before any other.
      await JournalRecovery(session: session).resume(loaded.acceptedActions)
    }
    if let fault = session.fault { throw SessionError.log(fault) }
    return session
  }

  private func fold(_ stored: StoredSession, _ loaded: LoadedSession) async throws -> LiveSession {
    let mark = CodeMark(key, environment)
    var state: (any Sendable)?
    if stored.version > 0 {
      let first = try mark.reading { try environment.witness.fold(loaded.snapshot, scope(stored)) }
      let fold = try await LogFolder.advance(
        first, by: loaded.entries, upTo: stored.version, reading: log, mark)
      guard let fold else { throw LogError.corrupt("Some of the session's mutations are missing.") }
      state = fold.state
    }
    return try mark.reading {
      try begin(
        stored, instance(stored, from: state), snapshot: loaded.snapshot?.version ?? 0,
        timers: loaded.timers)
    }
  }

  private func scope(_ stored: StoredSession) -> SessionScope {
    environment.scope(of: key, stored.parameters)
  }

  private func instance(
    _ stored: StoredSession, from state: (any Sendable)? = nil
  ) throws -> NewInstance {
    try environment.witness.hotPath.instantiate(state, scope(stored))
  }

  private func begin(
    _ stored: StoredSession, _ instance: NewInstance, isStored: Bool = true, snapshot: Int = 0,
    timers: [StoredTimer] = []
  ) throws(LogError) -> LiveSession {
    let session = LiveSession(
      key, stored: stored, isStored: isStored, snapshot: snapshot, timers: timers,
      instance: instance, log: log, environment: environment, of: account)
    // The session has ended if its first state could not be encoded.
    if let fault = session.fault { throw fault }
    if let observer = environment.observerMaker?(key),
      let base = session.observe(observer, retains: false)
    {
      observer.begin(from: base)
    }
    // Schedule the timers, which another process may have set.
    if environment.router != nil, let due = timers.map(\.due.milliseconds).min() {
      environment.timers.didSchedule(Timestamp(milliseconds: due))
    }
    // Take a snapshot, so that the next load folds fewer mutations.
    if stored.version - snapshot >= environment.settings.snapshotInterval, stored.version > 0 {
      SnapshotTurn(session: session).enqueue()
    }
    return session
  }
}
