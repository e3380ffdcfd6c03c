internal import ReactorLog
internal import Shares
internal import Telemetry

/// Loading and creating a session, as one of the slot's operations.
extension SessionSlot {
  func load(
    for intent: SessionIntent, _ parameters: [UInt8]?, completion: @escaping Opening
  ) {
    if let live {
      switch intent {
      case .create: return completion(.failure(.exists))
      case _ where isOther(parameters, than: live.parameters):
        return completion(.failure(.otherParameters))
      case .use:
        return completion(.success(OpenedSession(session: live, wasCreated: false)))
      case .ensure: return store(live, completion)
      }
    }
    if environment.settings.marking?.isQuarantined(key, .session) == true {
      return completion(.failure(.quarantined))
    }
    guard intent != .use else { return loadFound(for: intent, parameters, completion) }
    // The request thread creates sessions; it does not fold a long log.
    @Sendable func loadFromLog() {
      environment.sessions.load { self.loadFound(for: intent, parameters, completion) }
    }
    guard let first = firstSession(parameters) else { return loadFromLog() }
    // Create the session without a search for its record first: few have one, and the search costs
    // as much as the creation.
    log.create(epoch: first.epoch, parameters: first.parameters, replacesEnded: false) {
      [self] result in
      switch result {
      case .success: createReactor { self.didCreate(first, completion) }
      case .failure: loadFromLog()
      }
    }
  }

  /// Opens the session that the log has, or creates it.
  private func loadFound(
    for intent: SessionIntent, _ parameters: [UInt8]?, _ completion: @escaping Opening
  ) {
    do {
      let loaded =
        intent == .create
        ? LoadedSession(try log.record()) : try log.load(schema: environment.witness.schema())
      switch loaded.record {
      case .stored(let stored): open(stored, loaded, for: intent, parameters, completion)
      case .ended:
        setEnded()
        guard intent != .use else { return completion(.failure(.ended)) }
        create(newSession(Epoch.random(), parameters), for: intent, parameters, completion)
      case .none:
        let first = firstSession(parameters)
        guard intent == .use else { return create(first, for: intent, parameters, completion) }
        guard environment.settings.sessionCreation == .implicit else {
          return completion(.failure(.unknown))
        }
        guard let first else { return completion(.failure(.needsParameters)) }
        let session = try begin(first, instance(first), isStored: false)
        publish(session)
        completion(.success(OpenedSession(session: session, wasCreated: false)))
      }
    } catch {
      completion(.failure(.log(reported(error))))
    }
  }

  /// Opens a session that the log has.
  private func open(
    _ stored: StoredSession, _ loaded: LoadedSession, for intent: SessionIntent,
    _ parameters: [UInt8]?, _ completion: @escaping Opening
  ) {
    guard intent != .create else { return completion(.failure(.exists)) }
    guard !isOther(parameters, than: stored.parameters ?? defaultParameters) else {
      return completion(.failure(.otherParameters))
    }
    restore(stored, loaded, completion)
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

  private func create(
    _ stored: StoredSession?, for intent: SessionIntent, _ parameters: [UInt8]?,
    _ completion: @escaping Opening
  ) {
    guard let stored else { return completion(.failure(.needsParameters)) }
    log.create(epoch: stored.epoch, parameters: stored.parameters) { [self] result in
      switch result {
      case .success: createReactor { self.didCreate(stored, completion) }
      case .failure(.lost(let winner)): openExisting(for: intent, parameters, winner, completion)
      case .failure(let error): completion(.failure(.log(error)))
      }
    }
  }

  /// Executes code of the reactor, which must not delay the commits of all sessions.
  private func createReactor(_ body: @escaping @Sendable () -> Void) {
    guard environment.log.readsFromDisk else { return body() }
    let owner = (Account.current ?? account).map { WorkOwner($0) } ?? WorkOwner(key)
    environment.background.enqueue(for: owner, body)
  }

  /// Opens a session that the log has created.
  private func didCreate(_ stored: StoredSession, _ completion: @escaping Opening) {
    assert(!CompletionThread.isCurrent, "A reactor delays the commits of all sessions.")
    do {
      let session = try begin(stored, instance(stored))
      publish(session)
      completion(.success(OpenedSession(session: session, wasCreated: true)))
    } catch {
      completion(.failure(.log(reported(error))))
    }
  }

  /// Opens the session that another writer has created in the meantime.
  private func openExisting(
    for intent: SessionIntent, _ parameters: [UInt8]?, _ winner: NodeID?,
    _ completion: @escaping Opening
  ) {
    // The thread that completes commits neither reads nor folds.
    environment.sessions.load { [self] in
      do throws(LogError) {
        let loaded = try log.load(schema: environment.witness.schema())
        guard case .stored(let stored) = loaded.record else { throw .lost(to: winner) }
        open(stored, loaded, for: intent, parameters, completion)
      } catch {
        completion(.failure(.log(reported(error))))
      }
    }
  }

  /// Stores a session that is in memory only.
  private func store(_ session: LiveSession, _ completion: @escaping Opening) {
    let opened = OpenedSession(session: session, wasCreated: false)
    guard !session.isStored else { return completion(.success(opened)) }
    log.create(epoch: session.epoch, parameters: session.parameters) { [log] result in
      switch result {
      case .success:
        session.didStore()
        completion(.success(opened))
      case .failure(.lost(let winner)):
        // The session's own first batch may have stored it.
        if case .stored(let stored)? = try? log.record(), stored.epoch == session.epoch {
          completion(.success(opened))
        } else {
          completion(.failure(.log(.lost(to: winner))))
        }
      case .failure(let error): completion(.failure(.log(error)))
      }
    }
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

  /// Restores a stored session; first reads the globals again that another process may have delivered to it, so that
  /// none is followed by an earlier value.
  private func restore(
    _ stored: StoredSession, _ loaded: LoadedSession, _ completion: @escaping Opening
  ) {
    let age = Timestamp.now.milliseconds - stored.lastActiveAt.milliseconds
    guard let router = environment.router, !stored.globals.isEmpty, age < Self.globalsAge else {
      return restoreNow(stored, loaded, completion)
    }
    environment.background.start { [self] in
      await router.refreshGlobals(unlike: stored.globals)
      environment.sessions.load { [self] in restoreNow(stored, loaded, completion) }
    }
  }

  /// Folds a stored session, and restarts the effects that the end of a process interrupted.
  private func restoreNow(
    _ stored: StoredSession, _ loaded: LoadedSession, _ completion: @escaping Opening
  ) {
    fold(stored, loaded) { [self] result in
      let session: LiveSession
      switch result {
      case .success(let restored): session = restored
      case .failure(let error): return completion(.failure(.log(reported(error))))
      }
      offer(session)
      @Sendable func finish() {
        offer(nil)
        if let fault = session.fault { return completion(.failure(.log(fault))) }
        publish(session)
        completion(.success(OpenedSession(session: session, wasCreated: false)))
      }
      session.whenJoined { [environment] in
        guard !loaded.acceptedActions.isEmpty, !environment.settings.isPaused else {
          return finish()
        }
        // The journal's actions are executed before any other.
        JournalRecovery(session: session).resume(loaded.acceptedActions) { finish() }
      }
    }
  }

  private func fold(
    _ stored: StoredSession, _ loaded: LoadedSession,
    completion: @escaping ReadCompletion<LiveSession>
  ) {
    let mark = CodeMark(key, environment)
    guard stored.version > 0 else {
      return completion(
        Result { () throws(LogError) in
          try mark.reading { try begin(stored, instance(stored), timers: loaded.timers) }
        })
    }
    let fold: any SessionFold
    do throws(LogError) {
      fold = try mark.reading { try environment.witness.fold(loaded.snapshot, scope(stored)) }
    } catch {
      return completion(.failure(error))
    }
    environment.background.start { [self] in
      do throws(LogError) {
        let advanced = try await LogFolder.advance(
          fold, by: loaded.entries, upTo: stored.version, reading: log, mark)
        guard let fold = advanced else {
          throw .corrupt("Some of the session's mutations are missing.")
        }
        let session = try mark.reading {
          try begin(
            stored, instance(stored, from: fold.state),
            snapshot: loaded.snapshot?.version ?? 0, timers: loaded.timers)
        }
        completion(.success(session))
      } catch {
        completion(.failure(error))
      }
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
