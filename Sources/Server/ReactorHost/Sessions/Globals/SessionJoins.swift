internal import Synchronization

/// The observations of a session, and the sessions that observe it; most sessions have neither.
struct SessionObservation: ~Copyable, Sendable {
  private let madeJoins = AtomicLazyReference<SessionJoins>()
  private let madeFollowers = AtomicLazyReference<FollowerGroup>()

  /// The first values of the session's observations, or `nil` if there were none.
  var existingJoins: SessionJoins? { madeJoins.load() }

  /// The first values of the session's observations.
  ///
  /// - Parameter waits: See `SessionJoins.waits`; ignored after the first call.
  /// - Returns: The values.
  func joins(waiting waits: @autoclosure () -> Bool) -> SessionJoins {
    madeJoins.load() ?? madeJoins.storeIfNil(SessionJoins(waits: waits()))
  }

  /// The sessions that follow the session.
  var followers: FollowerGroup { madeFollowers.load() ?? madeFollowers.storeIfNil(FollowerGroup()) }
}

/// The first values of the observations with which a session begins.
///
/// A value whose mark is stored is delivered before a new one: an operator that combines both emits with
/// the new one. A loaded session waits until all have arrived, so that its first request finds them.
final class SessionJoins: Sendable {
  struct Value: Sendable {
    let value: OutsideValue
    let observation: ValueObservation
    let work: @Sendable () -> Void
  }

  private struct State {
    var values: [Value] = []
    /// The searches for values in other sessions, until others can use this one.
    var openings: [@Sendable () -> Void]? = []
    /// The number of values that have not arrived.
    var missing = 0
    var completion: (@Sendable () -> Void)?
  }

  /// Whether the session is not available before the values have arrived.
  let waits: Bool
  private let state = Mutex(State())

  init(waits: Bool) { self.waits = waits }

  /// Adds a value; returns whether it must be delivered at once, because none is missing.
  func add(_ value: Value, isJoining: Bool) -> Bool {
    state.withLock { state in
      guard isJoining || state.missing > 0 else { return true }
      state.values.append(value)
      return false
    }
  }

  /// Waits for a value.
  func begin(_ open: @escaping @Sendable () -> Void) {
    let starts = state.withLock { state in
      state.missing += 1
      state.openings?.append(open)
      return state.openings == nil
    }
    if starts { open() }
  }

  /// A value has arrived, or there is none.
  func end() { state.withLock { $0.missing -= 1 } }

  /// Removes the values unless some are missing.
  func take() -> [Value] {
    state.withLock { state in
      guard state.missing == 0 else { return [] }
      defer { state.values = [] }
      return state.values
    }
  }

  /// Begins the searches, and calls a completion when all values have arrived.
  func start(_ completion: @escaping @Sendable () -> Void) {
    let openings = state.withLock { state in
      state.completion = completion
      defer { state.openings = nil }
      return state.openings ?? []
    }
    for open in openings { open() }
    completeIfDone()
  }

  /// Calls the completion if no value is missing.
  func completeIfDone() {
    let completion = state.withLock { state in
      state.missing == 0 ? state.completion.take() : nil
    }
    completion?()
  }
}
