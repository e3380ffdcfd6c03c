internal import Synchronization

/// What goes on beside the state. It costs nothing while nobody watches.
extension LiveSession {
  var activity: SessionActivity {
    engine.activity
  }

  func observeActivity(_ observer: any ActivityObserver) {
    book.withLock { book in
      book.activityObservers.append(observer)
      // Told anew, to all: what changes while this one comes must not be missed.
      book.toldActivity = nil
    }
    activityIsWatched.store(true, ordering: .relaxed)
    // A turn of the session at whose end it is told.
    engine.perform(bound: .max) {}
  }

  func stopObservingActivity(_ observer: any ActivityObserver) {
    book.withLock { book in
      if let index = book.activityObservers.firstIndex(where: { $0 === observer }) {
        book.activityObservers.remove(at: index)
      }
      if book.activityObservers.isEmpty { activityIsWatched.store(false, ordering: .relaxed) }
    }
  }

  /// A turn of the session has ended.
  ///
  /// Runs within the serial context.
  func didSettle() {
    appendPending(turnEnds: true)
    if activityIsWatched.load(ordering: .relaxed) { tellActivity() }
  }

  private func tellActivity() {
    let activity = engine.activity
    let observers = book.withLock { book -> [any ActivityObserver] in
      guard book.toldActivity != activity else { return [] }
      book.toldActivity = activity
      return book.activityObservers
    }
    for observer in observers { observer.activityDidChange(activity) }
  }
}
