internal import ReactorCore
internal import Synchronization
internal import ReactorLog
internal import Telemetry

/// Restarts the interrupted actions of a session's journal, or abandons them.
struct JournalRecovery: Sendable {
  let session: LiveSession

  private var environment: ReactorEnvironment { session.environment }

  /// Recovers the actions of a journal, in turns of the session; returns when they were started, or the session
  /// has ended.
  ///
  /// The number of starts is durable before each start, so that an action that repeatedly ends the
  /// process is given up eventually.
  ///
  /// - Parameter actions: The journal's actions, in order.
  func resume(_ actions: [AcceptedAction]) async {
    let requests = await withCheckedContinuation { continuation in
      session.enqueue { beginStarts(of: actions) { continuation.resume(returning: $0) } }
    }
    guard !requests.isEmpty else { return }
    await withCheckedContinuation { continuation in
      session.enqueue {
        for request in requests { restart(request) }
        continuation.resume()
      }
    }
  }

  /// Counts the starts of the requests of a journal, and gives up or blocks those that must not start.
  ///
  /// - Parameters:
  ///   - actions: The journal's actions, in order.
  ///   - committed: Called with the requests to start when their number of starts is durable.
  private func beginStarts(
    of actions: [AcceptedAction], committed: @escaping @Sendable ([InterruptedRequest]) -> Void
  ) {
    var requests: [InterruptedRequest] = []
    var blocked: [InterruptedRequest] = []
    for var request in InterruptedRequest.all(of: actions) {
      if let rejection = rejection(of: request) {
        giveUp(request, rejection)
      } else if let error = decodingError(of: request) {
        block(request, error)
        blocked.append(request)
      } else {
        request.countsStart = environment.starts.insert(
          request: request.actions[0].id.request, of: session.key)
        requests.append(request)
      }
    }
    session.commits.withLock { [blocked] machine in
      machine.block(blocked, numberedUpTo: actions.last?.id.request ?? 0)
    }
    // Without a request to start, the turn may have nothing to commit.
    guard !requests.isEmpty else { return session.whenCommitted { _ in committed([]) } }
    let isOpen = session.commits.withLock { [requests] machine in
      machine.restart(requests, at: .now) { committed($0 ? requests : []) }
    }
    if !isOpen { committed([]) }
  }

  /// The reason for not starting an interrupted request again.
  private struct Rejection {
    /// The text for the log of the service.
    let reason: String
    /// The failure of its actions.
    var error: any Error = InterruptedError()
  }

  private func rejection(of request: InterruptedRequest) -> Rejection? {
    if environment.witness.interruptionPolicy == .giveUp {
      return Rejection(reason: "its reactor does not run actions again")
    }
    // Check the quarantine before the limit: an action that crashes its process may also have
    // reached the limit of starts, and must fail with `ActionCrashedError`.
    if let marking = environment.settings.marking,
      request.unfinished.contains(where: {
        marking.isQuarantined(session.key, ActionDigest(of: $0.action))
      })
    {
      return Rejection(reason: "it crashed the service", error: ActionCrashedError())
    }
    let limit = environment.settings.runLimit
    if request.starts(before: .now) >= limit {
      return Rejection(reason: "it was started \(limit) times and never ended")
    }
    return nil
  }

  /// The error for which this release cannot decode a request, or `nil` if it can.
  private func decodingError(of request: InterruptedRequest) -> (any Error)? {
    do {
      _ = try environment.witness.decodeJournal(request.unfinished)
      return nil
    } catch {
      return error
    }
  }

  /// Reports a request that stays in the journal, for a release that can decode it.
  private func block(_ request: InterruptedRequest, _ error: any Error) {
    environment.block(
      BlockedWork.Item(kind: .action, id: request.effectID), of: session.key,
      action: request.unfinished.first?.action,
      by: request.context(in: environment.settings.ledger).principal?.id, error)
  }

  private func giveUp(_ request: InterruptedRequest, _ rejection: Rejection) {
    for action in request.unfinished {
      SessionFailures(session: session).store(
        rejection.error, of: action.action, for: request.context(in: environment.settings.ledger))
      environment.logger.error(
        "interrupted action is given up",
        [
          "reactor": session.key.reactor, "session": session.key.id,
          "action": String(decoding: action.action, as: UTF8.self), "reason": rejection.reason,
        ])
    }
    let now = Timestamp.now
    let failure =
      request.failure
      ?? ActionFailure(index: request.isArray ? request.firstIndex : nil, rejection.error)
    session.commits.withLock { $0.giveUp(request, failure: failure, at: now) }
  }

  private func restart(_ request: InterruptedRequest) {
    guard !session.hasEnded,
      let actions = try? environment.witness.decodeJournal(request.unfinished)
    else { return }
    environment.logger.info(
      "interrupted action runs again",
      [
        "reactor": session.key.reactor, "session": session.key.id, "actions": "\(actions.count)",
      ])
    let context = request.context(in: environment.settings.ledger)
    let reply = ActionReply(
      count: actions.count, isArray: request.isArray, key: request.key,
      context: context, in: session, completion: nil)
    reply.didJournal(request.actions)
    ActionExecution(actions: actions, reply: reply, context: context, isRecovery: true).execute()
  }
}

/// The error of an action that was given up.
struct InterruptedError: Error {}
