internal import ReactorLog
internal import ReactorSessions
internal import ReactorStreams
internal import Synchronization

/// Observes the States of another session for one observer, which receives the latest State when it
/// is ready.
final class SessionFollower: SessionObserver, Disposable {
  private enum Event {
    case state(CommittedState)
    case end(SessionSendError)
  }

  private struct State {
    var source: (any Session)?
    /// The number of observed sessions that have ended.
    var ends = 0
    var pending: Event?
    /// The cursor of the State that was posted last.
    var latest: Cursor?
    /// Whether the last event was posted, which is an end.
    var hasEnded = false
    /// Whether a task is scheduled that dequeues the pending event.
    var isScheduled = false
    /// Whether the session waits for the first event.
    var isAwaited = false
    var isDisposed = false
  }

  private let key: SessionKey
  private let sessions: HostedSessions
  /// The serial context of the session that observes the States, or `nil` for an observer without a
  /// session.
  private let context: (any GlobalContext)?
  private let receive: @Sendable (Result<[UInt8], any Error>) -> Void
  /// `nil` for an observer without a session.
  private let observation: ValueObservation?
  private let state = Mutex(State())

  init(
    _ key: SessionKey, among sessions: HostedSessions, in context: (any GlobalContext)?,
    receive: @escaping @Sendable (Result<[UInt8], any Error>) -> Void
  ) {
    self.key = key
    self.sessions = sessions
    self.context = context
    self.receive = receive
    observation = context?.beginObservation(of: key.description)
  }

  /// Begins.
  ///
  /// A reactor that is being connected receives the State of a session in memory together with the other
  /// values that it begins with. It waits for that of a session that has to be loaded.
  func start() {
    guard let context, let observation, observation.isJoin else { return open() }
    if let session = sessions.observable(key) {
      state.withLock { $0.isScheduled = true }
      observe(session)
      return deliver(take(whileScheduled: false), to: observation, in: context)
    }
    guard context.waitsForJoins else { return open() }
    state.withLock { $0.isAwaited = true }
    context.beginJoin { [self] in open() }
  }

  /// Opens the session and observes it.
  ///
  /// Executed on a task: the caller may be in a turn, or may be loading a session.
  func open() {
    Task { [self] in
      guard !state.withLock({ $0.isDisposed }) else { return }
      let reactor: any HostedReactor
      do throws(SessionSendError) {
        guard let found = try sessions.reactor(of: key) else { return }
        reactor = found
      } catch {
        return post(.end(error))
      }
      if let live = sessions.observable(key) ?? reactor.liveSession(key.id) { return observe(live) }
      sessions.load { [self] in
        do throws(SessionError) {
          observe(try await reactor.session(key.id, for: .use).session)
        } catch .log(.unavailable) {
          openLater()
        } catch {
          post(.end(SessionSendError(key, error)))
        }
      }
    }
  }

  /// Opens the session when the store may be available again.
  private func openLater() {
    Task { [self] in
      try? await Task.sleep(for: .milliseconds(250))
      open()
    }
  }

  private func observe(_ session: any Session) {
    let ends = state.withLock { $0.ends }
    guard let base = session.observe(self) else { return open() }
    let isDisposed = state.withLock { state -> Bool? in
      // If the session has ended meanwhile, its end was posted, or its successor is being opened.
      guard state.ends == ends else { return nil }
      state.source = session
      return state.isDisposed
    }
    switch isDisposed {
    case nil: break
    case true?: session.stopObserving(self)
    case false?: post(.state(base))
    }
  }

  func sessionDidCommit(_ state: CommittedState) {
    post(.state(state))
  }

  func sessionDidEnd(_ end: SessionEnd) {
    state.withLock { state in
      state.source = nil
      state.ends += 1
    }
    switch end {
    case .deleted: post(.end(.ended(key)))
    case .interrupted: open()
    }
  }

  /// Replaces the pending event, and schedules its delivery.
  private func post(_ event: Event) {
    let isFirst = state.withLock { state in
      guard !state.isDisposed, !state.hasEnded else { return false }
      switch event {
      case .state(let next):
        // Ignore the base if a later commit was published before it was posted.
        if let latest = state.latest, latest.epoch == next.cursor.epoch,
          latest.version >= next.version
        {
          return false
        }
        state.latest = next.cursor
      case .end: state.hasEnded = true
      }
      state.pending = event
      defer { state.isScheduled = true }
      return !state.isScheduled
    }
    if isFirst { Task { deliver() } }
  }

  private func deliver() {
    guard let context, let observation else {
      while let event = take(whileScheduled: true) { receive(event) }
      return
    }
    guard !endWait() else {
      deliver(take(whileScheduled: false), to: observation, in: context)
      return context.endJoin()
    }
    context.enqueue { [self] in
      switch take(whileScheduled: false) {
      case .end(let error)?: receive(.end(error))
      case let event: deliver(event, to: observation, in: context)
      }
    }
  }

  /// Delivers an event in a turn of its own.
  private func deliver(
    _ event: Event?, to observation: ValueObservation, in context: any GlobalContext
  ) {
    switch event {
    case .state(let next)?:
      context.deliver(OutsideValue(revision: next.cursor.revision), to: observation) { [self] in
        receive(.state(next))
      }
    case .end(let error)?: context.enqueue { [self] in receive(.end(error)) }
    case nil: break
    }
  }

  /// Returns whether the session waits for an event, once.
  private func endWait() -> Bool {
    state.withLock { state in
      defer { state.isAwaited = false }
      return state.isAwaited
    }
  }

  /// Dequeues the pending event.
  ///
  /// - Parameter keepsSchedule: Whether the caller dequeues the next one as well.
  /// - Returns: The event, or `nil` if there is none, or the observation has ended.
  private func take(whileScheduled keepsSchedule: Bool) -> Event? {
    state.withLock { state in
      let event = state.isDisposed ? nil : state.pending.take()
      state.isScheduled = keepsSchedule && event != nil
      return event
    }
  }

  private func receive(_ event: Event) {
    switch event {
    case .state(let next): receive(.success(next.json))
    case .end(let error): receive(.failure(error))
    }
  }

  func dispose() {
    let source = state.withLock { state in
      state.isDisposed = true
      return state.source.take()
    }
    source?.stopObserving(self)
    if let observation { context?.end(observation) }
    if endWait() { context?.endJoin() }
  }
}

extension Cursor {
  /// A number that identifies the cursor across restarts, for the mark of a mutation that it caused.
  fileprivate var revision: UInt64 {
    // FNV-1a; the log stores 63 bits.
    description.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) {
      ($0 ^ UInt64($1)) &* 0x100_0000_01b3
    }
      & UInt64(Int64.max)
  }
}
