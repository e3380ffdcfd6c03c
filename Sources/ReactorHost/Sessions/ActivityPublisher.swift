internal import Synchronization

/// Notifies the observers of a session's activity.
///
/// It costs nothing while there are none.
final class ActivityPublisher: Sendable {
  private struct State {
    var observers: [any ActivityObserver] = []
    @Boxed var published: SessionActivity? = nil
  }

  private let state = Mutex(State())
  private let hasObservers = Atomic<Bool>(false)

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
      if let index = state.observers.firstIndex(where: { $0 === observer }) {
        state.observers.remove(at: index)
      }
      if state.observers.isEmpty { hasObservers.store(false, ordering: .relaxed) }
    }
  }

  /// Notifies the observers of an activity if it has changed, in the session's serial context.
  func publish(_ activity: @autoclosure () -> SessionActivity) {
    guard hasObservers.load(ordering: .relaxed) else { return }
    let activity = activity()
    let observers = state.withLock { state -> [any ActivityObserver] in
      guard state.published != activity else { return [] }
      state.published = activity
      return state.observers
    }
    for observer in observers { observer.activityDidChange(activity) }
  }
}
