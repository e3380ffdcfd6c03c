internal import Synchronization

/// The observers of a session's activity.
///
/// Stored in the session itself, which so needs no second object for what few sessions have.
struct ActivityObservers: ~Copyable, Sendable {
  // Not private: Swift 6.3 then emits the session without the type.
  struct State: Sendable {
    var observers: [any ActivityObserver] = []
    @Boxed var published: SessionActivity?
  }

  private let state = Mutex(State())
  /// Read at the end of each turn.
  private let hasObservers = Atomic<Bool>(false)

  /// Whether there are no observers.
  var isEmpty: Bool { !hasObservers.load(ordering: .relaxed) }

  /// Adds an observer.
  ///
  /// The next ``publish(_:)`` notifies all observers, so that no change is missed.
  func add(_ observer: any ActivityObserver) {
    state.withLock { state in
      state.observers.append(observer)
      state.published = nil
    }
    hasObservers.store(true, ordering: .relaxed)
  }

  func remove(_ observer: any ActivityObserver) {
    state.withLock { state in
      guard let index = state.observers.firstIndex(where: { $0 === observer }) else { return }
      state.observers.remove(at: index)
      if state.observers.isEmpty { hasObservers.store(false, ordering: .relaxed) }
    }
  }

  /// Notifies the observers of an activity, unless it is the one of the last call.
  func publish(_ activity: SessionActivity) {
    let observers = state.withLock { state -> [any ActivityObserver] in
      guard state.published != activity else { return [] }
      state.published = activity
      return state.observers
    }
    for observer in observers { observer.activityDidChange(activity) }
  }
}
