internal import Synchronization

/// The observers of a session's activity.
///
/// Stored inline in the session, which therefore needs no second object for observers that few
/// sessions have.
struct ActivityObservers: ~Copyable, Sendable {
  // Must not be private: Swift 6.3 would emit the session without the type.
  struct State: Sendable {
    var observers: [any ActivityObserver] = []
    @Boxed var published: SessionActivity?
  }

  private let state = Mutex(State())
  /// Whether there are observers; the end of each turn reads it without the lock.
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

  /// Notifies the observers of an activity, unless it equals the activity of the last call.
  func publish(_ activity: SessionActivity) {
    let observers = state.withLock { state -> [any ActivityObserver] in
      guard state.published != activity else { return [] }
      state.published = activity
      return state.observers
    }
    for observer in observers { observer.activityDidChange(activity) }
  }
}
