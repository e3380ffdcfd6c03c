internal import NATSClient
internal import Synchronization
internal import SystemThreads

/// The part of an engine that its callbacks and its thread retain: executes the steps of ``EngineTable``.
///
/// A caller publishes its own message, and the thread of the subscription delivers its outcome: an append
/// wakes no other thread. The engine's own thread repeats messages, and publishes those beyond
/// ``EngineTable/directBound``, so that a broker that is paused blocks no caller.
final class EngineCore: Sendable {
  private struct State {
    var table: EngineTable
    /// Whether the thread looks at the deadlines.
    var isTicking = false
    var isReconnected = false
    /// The last time at which something was pending, in milliseconds.
    var lastUse: Int64 = 0
  }

  /// The time between two checks of the deadlines while something is pending, in milliseconds.
  private static let tick: Int64 = 20
  /// The time after the last use for which the thread still checks the deadlines, in milliseconds,
  /// so that an append that follows soon does not have to wake it.
  private static let linger: Int64 = 100

  private let connection: NATSConnection
  private let subject: String
  private let waker: Waker
  private let state: Mutex<State>

  /// Creates the core of an engine.
  ///
  /// - Parameters:
  ///   - connection: The connection.
  ///   - subject: The prefix of the subjects for replies; a number follows it.
  ///   - waker: Wakes the thread.
  ///   - counters: The counters.
  init(
    _ connection: NATSConnection, subject: String, _ waker: Waker, _ counters: LogCounters
  ) {
    self.connection = connection
    self.subject = subject
    self.waker = waker
    state = Mutex(State(table: EngineTable(connection, counters)))
  }

  // MARK: Events

  /// Begins an append.
  ///
  /// - Returns: `false` if the engine is closed; the completion is not called then.
  func start(_ append: PendingAppend) -> Bool {
    begin { $0.start(append, at: $1) }
  }

  /// Begins a request.
  ///
  /// - Returns: `false` if the engine is closed; the completion is not called then.
  func start(_ request: PendingRequest) -> Bool {
    begin { $0.start(request, at: $1) }
  }

  private func begin(_ start: (inout EngineTable, Int64) -> EngineTable.Step?) -> Bool {
    let now = Clock.milliseconds
    let (isOpen, step, wakes) = state.withLock { state -> (Bool, EngineTable.Step?, Bool) in
      guard !state.table.isClosed else { return (false, nil, false) }
      let hadUnsent = state.table.hasUnsent
      let step = start(&state.table, now)
      state.lastUse = now
      defer { state.isTicking = true }
      return (true, step, !state.isTicking || state.table.hasUnsent && !hadUnsent)
    }
    if wakes { waker.wake() }
    if let step { execute(step) }
    return isOpen
  }

  /// A reply has arrived, possibly late or repeated.
  func didReceive(_ message: NATSMessage, to number: UInt64) {
    follow { $0.didReceive(message, to: number, at: $1) }
  }

  /// The connection was restored.
  func didReconnect() {
    state.withLock { $0.isReconnected = true }
    waker.wake()
  }

  /// Ends the thread; pending operations fail, on the calling thread.
  func close() {
    let steps = state.withLock { $0.table.isClosed ? [] : $0.table.close() }
    waker.wake()
    for step in steps { execute(step) }
  }

  private func follow(_ event: (inout EngineTable, Int64) -> EngineTable.Step?) {
    let now = Clock.milliseconds
    if let step = state.withLock({ event(&$0.table, now) }) { execute(step) }
  }

  // MARK: The thread

  /// Publishes the messages that callers did not publish themselves, and repeats messages, until
  /// the engine is closed.
  func publishPending() {
    var nextTick = Clock.milliseconds
    while true {
      let now = Clock.milliseconds
      let isDue = now >= nextTick
      if isDue { nextTick = now + Self.tick }
      guard let (steps, isIdle) = takeSteps(isDue, now) else { return }
      for step in steps { execute(step) }
      waker.wait(milliseconds: isIdle ? 10_000 : max(1, nextTick - Clock.milliseconds))
    }
  }

  /// The steps of the thread, and whether it may sleep, or `nil` if the engine is closed.
  private func takeSteps(_ isDue: Bool, _ now: Int64) -> ([EngineTable.Step], Bool)? {
    state.withLock { state in
      guard !state.table.isClosed else { return nil }
      var steps = state.table.takeUnsent(at: now)
      if state.isReconnected {
        state.isReconnected = false
        steps += state.table.didReconnect(at: now)
      }
      if isDue { steps += state.table.tick(at: now) }
      if !state.table.isEmpty { state.lastUse = now }
      state.isTicking = now - state.lastUse < Self.linger
      return (steps, !state.isTicking)
    }
  }

  // MARK: Steps

  private func execute(_ step: EngineTable.Step) {
    switch step {
    case .publish(let number, let purpose, let payload, let append, let reply):
      publish(payload, of: number, purpose, append, reply: reply)
    case .request(let request, let reply):
      try? connection.publish(
        request.payload, to: request.subject, reply: "\(subject).\(reply)",
        headers: request.headers)
    case .read(let number, let reading, let append):
      append.read(reading) { [self] result in
        follow { $0.didRead(number, result, at: $1) }
      }
    case .report(let append, let last, let start): append.leaderIsBehind(last, start)
    case .finish(let append, let outcome): append.completion(outcome)
    case .respond(let request, let message): request.completion(message)
    }
  }

  private func publish(
    _ payload: [UInt8], of number: UInt64, _ purpose: AppendMachine.Purpose,
    _ append: PendingAppend, reply: UInt64
  ) {
    do throws(NATSError) {
      try connection.publish(
        payload, to: append.subject, reply: "\(subject).\(reply)",
        headers: append.headers(purpose))
    } catch {
      let isTooLarge = error.code == .tooLarge
      follow { table, _ in table.didFailToPublish(number, purpose, isTooLarge: isTooLarge) }
    }
  }
}
