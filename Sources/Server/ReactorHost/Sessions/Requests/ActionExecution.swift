internal import ReactorCoding
internal import ReactorCore
internal import ReactorLog
internal import Synchronization

/// Executes the actions of one request: a long array in several turns.
///
/// A turn ends after ``turnLength`` actions or ``turnBytes`` of encoded states. The next turn is
/// enqueued by a task when the batch of the turn is committed, so that other items of the mailbox,
/// and other requests of the thread, are executed in between. The remaining actions are in the
/// journal from the first batch on, so that all are executed even if the process ends meanwhile.
struct ActionExecution: Sendable {
  /// The maximum number of actions in one turn.
  static let turnLength = 50

  /// A turn executes no further action after this number of encoded bytes.
  static let turnBytes = 262_144

  let actions: DecodedActions
  let reply: ActionReply
  let context: RequestContext?
  /// Whether the journal has the actions already.
  var isRecovery = false

  private var session: LiveSession { reply.session }

  /// Executes the actions from an index on, in the serial context.
  func execute(from start: Int = 0) {
    guard !session.hasEnded else { return session.respondEnded(reply) }
    let next = RequestContext.$current.withValue(context) { executeTurn(from: start) }
    accept(isFirstTurn: start == 0, remainingFrom: next)
    guard next < actions.count else { return reply.didStartAll() }
    session.whenCommitted { isCommitted in
      if isCommitted { enqueue(from: next) } else { session.respondEnded(reply) }
    }
  }

  /// Enqueues the next turn on a task: this thread may be a request worker or the log's writer.
  private func enqueue(from next: Int) {
    Task { _ = session.enqueue { execute(from: next) } }
  }

  /// Executes actions until the turn is over.
  ///
  /// - Returns: The index of the next action.
  private func executeTurn(from start: Int) -> Int {
    switch actions.content {
    case .plain(let index):
      session.environment.witness.hotPath.executePlain(session.pipeline, index, reply)
      return 1
    case .single(let execute):
      execute(session.pipeline, reply)
      return 1
    case .array(let execute, _):
      var next = start
      while next < actions.count, next - start < Self.turnLength,
        session.meter.turnBytes < Self.turnBytes
      {
        execute(session.pipeline, next, reply)
        next += 1
      }
      return next
    }
  }

  /// Adds actions to the journal: those with effects that outlive the turn, and at the end of the
  /// first turn also the remaining actions.
  ///
  /// Acknowledges the request when the journal is durable.
  private func accept(isFirstTurn: Bool, remainingFrom next: Int) {
    var accepted = reply.removeOutliving().filter { !reply.isJournalled($0.index) }.map {
      (index: $0.index, json: $0.json)
    }
    if isFirstTurn, !isRecovery, next < actions.count,
      case .array(_, let json) = actions.content
    {
      accepted += (next..<actions.count).map { (index: $0, json: json($0)) }
    }
    guard !accepted.isEmpty else { return }
    let now = Timestamp.now
    let principal = reply.principal.flatMap { try? JSONCoder.encode($0) }
    let stored = context.flatMap { try? JSONCoder.encode(StoredContext($0)) }
    @Sendable func storedContext(of action: Int, _ request: Int) -> [UInt8]? {
      guard let all = actions.privateParts?.values, all.indices.contains(action),
        case let values = all[action], !values.isEmpty
      else { return stored }
      return try? JSONCoder.encode(
        StoredContext(
          context ?? RequestContext(id: "journal-\(request)"), privateValues: values))
    }
    let journalled = session.commits.withLock { [accepted] machine in
      machine.accept(
        then: { if $0 { reply.acknowledge(session.current) } },
        { request in
          accepted.map { action in
            AcceptedAction(
              id: .init(request: request, place: action.index), action: action.json,
              isInArray: reply.isArray, key: reply.key, principal: principal,
              context: storedContext(of: action.index, request), at: now,
              sendName: reply.sendName(ofActionAt: action.index))
          }
        })
    }
    if let journalled { reply.didJournal(journalled) }
  }
}
