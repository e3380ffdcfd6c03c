/// The observers of a session's activity.
///
/// A value in the session itself, which so needs no second object for what few sessions have.
struct ActivityObservers: Sendable {
  private var observers: [any ActivityObserver] = []
  @Boxed private var published: SessionActivity? = nil

  /// Whether there are no observers.
  var isEmpty: Bool { observers.isEmpty }

  /// Adds an observer.
  ///
  /// The next ``update(_:)`` returns all observers, so that no change is missed.
  mutating func add(_ observer: any ActivityObserver) {
    observers.append(observer)
    published = nil
  }

  mutating func remove(_ observer: any ActivityObserver) {
    guard let index = observers.firstIndex(where: { $0 === observer }) else { return }
    observers.remove(at: index)
  }

  /// Returns the observers to notify of an activity: none if it has not changed.
  mutating func update(_ activity: SessionActivity) -> [any ActivityObserver] {
    guard published != activity else { return [] }
    published = activity
    return observers
  }
}
