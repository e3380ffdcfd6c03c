internal import ReactorCore
internal import ReactorLog
internal import Synchronization

/// Consecutive sends to one session, at most as many as a turn executes.
///
/// A session in memory executes them in one turn, so that they are one batch of its log. Each send
/// remains a separate request, with its own key, reply and place in the order.
struct SendRun: Sendable {
  private let sends: ArraySlice<SendDelivery>

  /// Divides sends into runs, in order.
  static func runs(of sends: [SendDelivery]) -> [SendRun] {
    var runs: [SendRun] = []
    var rest = sends[...]
    while let first = rest.first {
      let run = rest.prefix(ActionExecution.turnLength).prefix { $0.target == first.target }
      runs.append(SendRun(sends: run))
      rest = rest.dropFirst(run.count)
    }
    return runs
  }

  /// Delivers the sends to the mailbox of the other session, in order.
  ///
  /// - Parameter done: Called when each send is in the mailbox or has failed. Any thread.
  func start(_ done: @escaping @Sendable () -> Void) {
    guard let first = sends.first else { return done() }
    let reactor = first.sessions.reactor(first.target.reactor)
    if let session = reactor?.liveSession(first.target.id) as? LiveSession {
      return start(in: session, done)
    }
    guard sends.count > 1 else { return first.start(done) }
    // The session is not in memory: the first send loads it, or another process owns it.
    let starts = SerialAsyncQueue()
    for send in sends { starts.enqueue { send.start($0) } }
    starts.enqueue { end in
      end()
      done()
    }
  }

  private func start(in session: LiveSession, _ done: @escaping @Sendable () -> Void) {
    // Read the number before `begin(in:)` checks that a send was not disposed of. If its effect
    // runs again after the check, the new run releases the key after this read, and the claim
    // fails.
    let releases = session.commits.withLock { $0.releasedKeys }
    var requests: [SendRequest] = []
    requests.reserveCapacity(sends.count)
    for send in sends {
      guard let key = send.begin(in: session),
        let actions = send.decodeAction(for: session)
      else { continue }
      requests.append(SendRequest(send: send, key: key, actions: actions))
    }
    let execution = SendExecution(session: session, requests: requests)
    let unclaimed = execution.claimKeys(at: releases)
    guard !unclaimed.isEmpty else {
      execution.start()
      return done()
    }
    SendLookups(execution, done).find(unclaimed)
  }
}

/// A send that is to be executed.
private struct SendRequest {
  let send: SendDelivery
  let key: SendDelivery.Key
  let actions: DecodedActions
}

/// The execution of requests in a session.
private struct SendExecution {
  let session: LiveSession
  var requests: [SendRequest]

  /// Claims the keys that cannot have an outcome in the log.
  ///
  /// - Parameter releases: The number of released keys before the sends began.
  /// - Returns: The indices of the other keys.
  func claimKeys(at releases: Int) -> [Int] {
    // In a cluster, another process can repeat a send before this process notices that it has lost
    // the sending session.
    let isAlone = session.environment.router == nil
    return session.commits.withLock { machine in
      requests.indices.filter { index in
        guard let key = requests[index].key.key else { return false }
        return !(isAlone && requests[index].key.isNew && machine.claim(key, at: releases))
      }
    }
  }

  /// Executes the requests in a turn, or in several if their states are large; if the session is busy,
  /// the rest waits in its mailbox.
  func start() {
    var next = 0
    while next < requests.count {
      let wasIdle = executeIfIdle { next = executeTurn(from: next) }
      if !wasIdle { break }
    }
    for request in requests[next...] {
      let send = request.send
      SessionRequests(session: session).submit(
        request.actions, identifiedBy: request.key.key, ifAt: nil, for: send.context,
        { send.didAccept($0) }, { send.didEnd($0) })
    }
  }

  /// Executes a turn now if the session is idle, and delivers its sends.
  ///
  /// - Returns: Whether the session was idle.
  private func executeIfIdle(_ turn: () -> Void) -> Bool {
    let outbox = session.sends.outbox
    outbox?.enter()
    defer { outbox?.leave() }
    return session.environment.witness.hotPath.executeIfIdle(session.pipeline) {
      turn()
      session.didEndTurn()
    }
  }

  /// Executes requests until the turn is over.
  ///
  /// - Returns: The index of the next request.
  private func executeTurn(from start: Int) -> Int {
    var next = start
    repeat {
      let request = requests[next]
      let send = request.send
      let reply = ActionReply(
        count: request.actions.count, isArray: request.actions.isArray, key: request.key.key,
        context: send.context, in: session, accepted: { send.didAccept($0) },
        completion: { send.didEnd($0) })
      SessionRequests(session: session).start(
        request.actions, for: reply, ifAt: nil, send.context)
      next += 1
    } while next < requests.count && session.meter.turnBytes < ActionExecution.turnBytes
    return next
  }
}

/// Looks up the outcomes of keys; some must be awaited or folded, and come later.
private final class SendLookups: Sendable {
  private let execution: SendExecution
  private let done: @Sendable () -> Void
  /// The indices of the requests that have an outcome.
  private let ended = Mutex<Set<Int>>([])
  /// The number of unfinished lookups, plus one while they are being started.
  private let remaining = Atomic<Int>(1)

  init(_ execution: SendExecution, _ done: @escaping @Sendable () -> Void) {
    self.execution = execution
    self.done = done
  }

  /// Finds the outcomes of keys, and then executes the requests without one.
  func find(_ indices: [Int]) {
    let lookup = IdempotencyLookup(session: execution.session)
    for index in indices {
      let (send, key) = (execution.requests[index].send, execution.requests[index].key.key)
      guard let key else { continue }
      remaining.add(1, ordering: .relaxed)
      lookup.find(orClaim: key) { [self] outcome in
        if let outcome {
          _ = ended.withLock { $0.insert(index) }
          send.didEnd(outcome)
        }
        didFind()
      }
    }
    didFind()
  }

  private func didFind() {
    guard remaining.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 else { return }
    let ended = ended.withLock { $0 }
    var rest = execution
    rest.requests = execution.requests.indices.filter { !ended.contains($0) }.map {
      execution.requests[$0]
    }
    rest.start()
    done()
  }
}

extension SendDelivery {
  /// Decodes the action, or returns `nil` if it cannot be executed.
  fileprivate func decodeAction(for session: LiveSession) -> DecodedActions? {
    do throws(ActionDecodingError) {
      if let actions = try SessionRequests(session: session).decode(action) { return actions }
      didEnd(.failed(index: nil, ActionCrashedError(), at: session.current.cursor))
    } catch {
      didFailToDecode(error)
    }
    return nil
  }
}
