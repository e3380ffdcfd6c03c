internal import ReactorCore
internal import ReactorHost
internal import ReactorLog
internal import Shares
internal import Synchronization

/// Executes one request of an edge at this node, the owner of its session.
struct OwnerExecution: Sendable {
  /// The maximum size of a page of several states, entries, effects or timers, in bytes, so that
  /// one reply does not delay those of other requests.
  private static let pageSize = 262_144

  let id: ExecutionID
  let request: ForwardedRequest
  let node: ClusterNode

  init(_ id: ExecutionID, _ request: ForwardedRequest, at node: ClusterNode) {
    self.id = id
    self.request = request
    self.node = node
  }

  func start() {
    guard let payload = SessionRequest(reading: request.payload),
      let reactor = node.reactor(request.session.reactor)
    else { return report(.unavailable) }
    // Sessions and effects count for the client at this node as well.
    let account = payload.client.map { reactor.ledger.account(of: $0) }
    Account.$current.withValue(account) { execute(payload.call, in: reactor, for: account) }
  }

  private func execute(
    _ call: SessionCall, in reactor: any LocalReactor, for account: Account?
  ) {
    let key = request.session
    switch call {
    case .open(.use, nil):
      reactor.use(key.id) { result in
        respond(result) { .opened(SessionImage($0), wasCreated: false) }
      }
    case .open(let intent, let parameters):
      respond(by: reactor) { () async throws(SessionError) in
        .opened(try await reactor.session(key.id, for: intent, parameters: parameters))
      }
    case .find:
      if let session = reactor.liveSession(key.id) {
        return respond(.opened(SessionImage(session), wasCreated: false))
      }
      respond(by: reactor) { () async throws(SessionError) in
        switch try await reactor.findSession(key.id) {
        case .open(let session): .opened(SessionImage(session), wasCreated: false)
        case .absent(let state): .absent(state)
        }
      }
    case .submit(let submission): submit(submission, in: reactor, for: account)
    case .outcome(let submission): outcome(of: submission, in: reactor)
    case .end:
      respond(by: reactor) { () async throws(SessionError) in
        try await reactor.endSession(key.id)
        return .done
      }
    case .fork(let version, let id, let parameters):
      respond(by: reactor) { () async throws(SessionError) in
        let fork = try await reactor.fork(key.id, at: version, to: id, parameters: parameters)
        // Another node may have a session of that id in memory only.
        node.claim(SessionKey(reactor: key.reactor, id: id))
        return .opened(fork)
      }
    case .subscribe(let number):
      reactor.use(key.id) { result in
        switch result {
        case .success(let session): subscribe(to: session, as: number)
        case .failure(let error): fail(error)
        }
      }
    case .confirm, .effects, .cancelEffect, .timers, .cancelTimer, .subscribers, .state, .states,
      .entries:
      respond(by: reactor) { () async throws(SessionError) in
        try await reply(to: call, of: reactor.session(key.id, for: .use).session)
      }
    }
  }

  /// Evicts the session, so that the edge becomes its owner.
  ///
  /// If the session is in use, executes the request at this node.
  func handOver() {
    let key = request.session
    guard let reactor = node.reactor(key.reactor) else { return report(.unavailable) }
    guard reactor.evict(key.id) else { return start() }
    node.counters.handedOver.add()
    node.uses.endRow(of: key)
    node.handle { $0.executed(id, .displaced(by: request.number.edge), at: $1) }
  }

  /// Executes a call that uses the session.
  private func reply(
    to call: SessionCall, of session: any Session
  ) async throws(SessionError) -> SessionReply {
    switch call {
    case .effects(let id, let limit):
      let effects = try await session.effects(after: id, limit: limit)
      return .effects(Self.page(effects) { $0.action?.count ?? 0 })
    case .cancelEffect(let id):
      try await session.cancelEffect(id)
      return .done
    case .timers(let position, let limit):
      let timers = try await session.timers(after: position, limit: limit)
      return .timers(Self.page(timers) { $0.action.count })
    case .cancelTimer(let id):
      try await session.cancelTimer(id)
      return .done
    case .subscribers(let name, let limit):
      return .subscribers(try await session.subscribers(after: name, limit: limit))
    case .state(let version):
      return await history { () throws(HistoryError) in
        .states([try await session.state(at: version)])
      }
    case .states(let version, let limit):
      return await history { () throws(HistoryError) in
        let states = try await states(of: session.replay(after: version), limit)
        return .states(Self.page(states) { $0.json.count })
      }
    case .entries(let version, let limit):
      return await history { () throws(HistoryError) in
        let entries = try await session.entries(after: version, limit: limit)
        return .entries(Self.page(entries) { $0.mutation.count })
      }
    case .confirm:
      do throws(LogError) {
        try await session.confirmCurrent()
      } catch {
        throw .log(error)
      }
      return .opened(SessionImage(session), wasCreated: false)
    case .open, .find, .submit, .outcome, .end, .fork, .subscribe:
      throw .log(.unavailable("The call does not use a session."))
    }
  }

  private func history(
    _ read: () async throws(HistoryError) -> SessionReply
  ) async -> SessionReply {
    do throws(HistoryError) {
      return try await read()
    } catch {
      return .history(error)
    }
  }

  /// Returns the next states.
  ///
  /// Reads at most 64 at a time, so that few states are folded that do not fit into the page.
  private func states(
    of replay: any StateReplay, _ limit: Int
  ) async throws(HistoryError) -> [CommittedState] {
    var (found, size) = ([CommittedState](), 0)
    while found.count < limit, size < Self.pageSize {
      do throws(HistoryError) {
        let states = try await replay.next(limit: min(64, limit - found.count))
        guard !states.isEmpty else { break }
        found += states
        size += states.reduce(0) { $0 + $1.json.count }
      } catch  where !found.isEmpty {
        break
      }
    }
    return found
  }

  private func subscribe(to session: any Session, as number: UInt64) {
    let edge = request.number.edge
    guard let state = node.subscribe(edge, to: session, as: number) else {
      return report(node.isAlive(edge) ? .displaced(by: nil) : .unavailable)
    }
    var image = SessionImage(session)
    image.current = state
    respond(.opened(image, wasCreated: false))
  }

  // MARK: Actions

  /// Returns the key that identifies the request in the log: the client's key, or one that clients
  /// cannot send.
  private func key(of submission: Submission) -> IdempotencyKey {
    submission.key
      ?? IdempotencyKey(numbered: request.number.count, of: "\(request.number.edge)")
  }

  private func submit(
    _ submission: Submission, in reactor: any LocalReactor, for account: Account?
  ) {
    var identified = submission
    identified.key = key(of: submission)
    identified.isRepeated = request.isRepeated
    let hasOwnKey = submission.key != nil
    identified.context?.account = account
    reactor.use(request.session.id) { [identified] result in
      switch result {
      case .success(let session): execute(identified, in: session, hasOwnKey: hasOwnKey)
      case .failure(.log(.lost(let owner))): report(.displaced(by: owner))
      case .failure(let error): fail(error, .outcome(.notOpened(error)))
      }
    }
  }

  private func execute(
    _ submission: Submission, in session: any Session, hasOwnKey: Bool
  ) {
    guard let session = session as? any SubmissionTarget else { return report(.unavailable) }
    let run = submission.key.map { AcceptedRuns.ID(session: request.session, key: $0.name) }
    do throws(ActionDecodingError) {
      try session.submit(
        submission,
        accepted: { state in
          guard let run, let key = submission.key else { return }
          node.acceptedRuns.insert(run)
          respond(.accepted(state, key: key))
        },
        enqueued: nil,
        completion: { outcome in
          if let run { node.acceptedRuns.finish(run, with: outcome) }
          complete(outcome, key: submission.key, hasOwnKey: hasOwnKey)
        })
    } catch {
      respond(.outcome(.invalid(error)))
    }
  }

  private func complete(_ outcome: ActionOutcome, key: IdempotencyKey?, hasOwnKey: Bool) {
    // Whether an outcome in the log is that of an earlier delivery of this request, and not of
    // another request with the client's key.
    let isRepetition = !hasOwnKey || request.isRepeated
    switch outcome {
    case .displaced(let owner): report(.displaced(by: owner))
    case .notCommitted(.lost(let owner)) where key != nil: report(.displaced(by: owner))
    case .notCommitted(.unknown): report(.unknown)
    case .running where isRepetition: report(.running)
    case .replayed(let original) where isRepetition: respond(.outcome(original))
    default: respond(.outcome(outcome))
    }
  }

  /// Waits for the outcome of a request that was accepted.
  private func outcome(of submission: Submission, in reactor: any LocalReactor) {
    if let key = submission.key {
      let run = AcceptedRuns.ID(session: request.session, key: key.name)
      let isRunning = node.acceptedRuns.wait(for: run) { outcome in
        complete(outcome, key: key, hasOwnKey: false)
      }
      if isRunning { return }
    }
    reactor.use(request.session.id) { result in
      switch result {
      case .success(let session): execute(submission, in: session, hasOwnKey: false)
      case .failure(let error): fail(error, .outcome(.notOpened(error)))
      }
    }
  }

  // MARK: The response

  private func report(_ result: ExecutionResult) {
    if case .displaced = result { node.counters.displaced.add() }
    node.handle { $0.executed(id, result, at: $1) }
  }

  private func respond(_ reply: SessionReply) {
    report(.response(reply.bytes))
  }

  /// Returns the first elements, at least one, up to the size of a page.
  private static func page<Element>(_ elements: [Element], size: (Element) -> Int) -> [Element] {
    var total = 0
    let end = elements.firstIndex { element in
      defer { total += size(element) }
      return total > 0 && total + size(element) > pageSize
    }
    return end.map { Array(elements[..<$0]) } ?? elements
  }

  /// Responds with the reply that a function returns, or the error that it throws.
  private func respond(
    by reactor: any LocalReactor,
    _ body: @escaping @Sendable () async throws(SessionError) -> SessionReply
  ) {
    reactor.start {
      do throws(SessionError) {
        respond(try await body())
      } catch .exists where request.isRepeated {
        // An earlier delivery of the request may have created the session.
        report(.unknown)
      } catch {
        fail(error)
      }
    }
  }

  private func respond<Value>(
    _ result: Result<Value, SessionError>, _ reply: (Value) -> SessionReply
  ) {
    switch result {
    case .success(let value): respond(reply(value))
    case .failure(let error): fail(error)
    }
  }

  private func fail(_ error: SessionError) {
    if case .log(.lost(let owner)) = error { return report(.displaced(by: owner)) }
    fail(error, .failed(error))
  }

  /// Responds with an error; another node continues if its release can read the session.
  private func fail(_ error: SessionError, _ reply: SessionReply) {
    if case .log(.unreadable) = error { return report(.unreadable(reply.bytes)) }
    respond(reply)
  }
}

extension SessionReply {
  /// The reply to a request that has opened or created a session.
  fileprivate static func opened(_ opened: OpenedSession) -> SessionReply {
    .opened(SessionImage(opened.session), wasCreated: opened.wasCreated)
  }
}

/// The accepted requests of other nodes whose effects are running here, and the requests that wait for
/// their outcome.
final class AcceptedRuns: Sendable {
  struct ID: Hashable {
    let session: SessionKey
    let key: String
  }

  /// Bounded by the number of running effects.
  private let runs = Mutex<[ID: [@Sendable (ActionOutcome) -> Void]]>([:])

  func insert(_ run: ID) {
    runs.withLock { if $0[run] == nil { $0[run] = [] } }
  }

  /// Calls a closure with the outcome of a run.
  ///
  /// - Returns: `false` if the run is not executed at this node.
  func wait(for run: ID, completion: @escaping @Sendable (ActionOutcome) -> Void) -> Bool {
    runs.withLock { runs in
      guard runs[run] != nil else { return false }
      runs[run]?.append(completion)
      return true
    }
  }

  func finish(_ run: ID, with outcome: ActionOutcome) {
    for completion in runs.withLock({ $0.removeValue(forKey: run) }) ?? [] { completion(outcome) }
  }
}
