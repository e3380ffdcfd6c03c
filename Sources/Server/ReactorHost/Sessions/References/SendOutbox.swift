internal import Synchronization

/// The sends of one session, until they are in the mailboxes of the others.
///
/// ```
///   an effect sends     the turn ends          its batch is committed
///        ──▶ fresh ───────────▶ waiting ───────────────▶ ready ──▶ delivered, one after the other
/// ```
///
/// A send is delivered when all earlier changes of its session are committed, so that no other
/// session contains the consequences of a turn that a crash undoes. The number of sends is bounded
/// by the number of effects of the session, because an effect waits for its sends.
final class SendOutbox: Sendable {
  /// The sends of one turn.
  private struct Group {
    let id: Int
    let sends: [SendDelivery]
    var isReady = false
  }

  private struct State {
    var fresh: [SendDelivery] = []
    var groups: [Group] = []
    var lastID = 0
    /// The number of threads that call ``flush()`` after their turn.
    var submitters = 0
    var isFlushing = false

    mutating func takeReady() -> [SendDelivery]? {
      guard let first = groups.first, first.isReady else {
        isFlushing = false
        return nil
      }
      return groups.removeFirst().sends
    }
  }

  private let state = Mutex(State())
  private let deliveries = SerialAsyncQueue()

  /// Adds a send, in a turn of the session.
  func add(_ send: SendDelivery) {
    state.withLock { $0.fresh.append(send) }
  }

  /// Whether a turn has sent actions and is not over.
  var hasTurn: Bool { state.withLock { !$0.fresh.isEmpty } }

  /// Ends a turn: its sends wait for their batch.
  ///
  /// - Returns: The group to pass to ``release(_:)``, or `nil` if the turn sent nothing.
  func endTurn() -> Int? {
    state.withLock { state in
      guard !state.fresh.isEmpty else { return nil }
      state.lastID += 1
      state.groups.append(Group(id: state.lastID, sends: state.fresh))
      state.fresh = []
      return state.lastID
    }
  }

  /// Marks a group whose batch is committed as ready, and delivers its sends.
  func release(_ id: Int) {
    let isLeft = state.withLock { state in
      guard let index = state.groups.firstIndex(where: { $0.id == id }) else { return false }
      state.groups[index].isReady = true
      return state.submitters == 0 && !state.isFlushing
    }
    // Deliver on a task: this thread may be the log's, or may execute a turn of the session.
    if isLeft { Task { flush() } }
  }

  /// Removes all sends: the session has ended, and its effects with it.
  func removeAll() {
    state.withLock { state in
      (state.fresh, state.groups) = ([], [])
    }
  }

  /// Begins the submission of a request: sends that become ready wait for ``leave()``.
  func enter() {
    state.withLock { $0.submitters += 1 }
  }

  /// Ends a submission and delivers the ready sends.
  func leave() {
    state.withLock { $0.submitters -= 1 }
    flush()
  }

  /// Delivers the ready sends, and those that become ready meanwhile.
  private func flush() {
    let isFirst = state.withLock { state in
      defer { state.isFlushing = true }
      return !state.isFlushing
    }
    guard isFirst else { return }
    while let sends = state.withLock({ $0.takeReady() }) {
      for run in SendRun.runs(of: sends) { deliveries.enqueue { done in run.start(done) } }
    }
  }
}
