public import Synchronization

/// Delivers events to any number of observers: the common part of all subjects.
///
/// Observers receive an event in the order of their subscriptions. An event that is sent during a
/// delivery, by another thread or by an observer, is delivered afterwards, so that all observers see
/// the same order. A new observer receives the stored elements before `subscribe` returns, and then
/// the events that are sent after its subscription; after its removal, at most the event that is
/// being delivered.
@usableFromInline
package final class Broadcaster<Element: Sendable>: Sendable {
  @usableFromInline let state: Mutex<BroadcasterState<Element>>

  /// Creates a broadcaster.
  ///
  /// - Parameters:
  ///   - replay: The number of elements that a new observer first receives.
  ///   - seed: The initially stored elements.
  ///   - replaysAfterEnd: Whether a new observer receives the stored elements even after the stop
  ///     event.
  package init(replay: Int, seed: [Element] = [], replaysAfterEnd: Bool = true) {
    state = Mutex(
      BroadcasterState(
        replayed: ReplayBuffer(limit: replay, seed), replaysAfterEnd: replaysAfterEnd))
  }

  /// The number of observers.
  package var observerCount: Int {
    state.withLock { $0.members.count }
  }

  /// The last stored element.
  package var latest: Element? {
    state.withLock { $0.replayed.latest }
  }

  /// Whether the broadcaster was disposed of.
  package var isDisposed: Bool {
    state.withLock { $0.isDisposed }
  }

  /// The stop event, if one was sent.
  package var end: Event<Element>? {
    state.withLock { $0.end }
  }

  /// Delivers an event to all observers.
  ///
  /// After a stop event it does nothing.
  @inlinable
  package func send(_ event: Event<Element>) {
    let (recipients, _) = state.withLock { $0.admit(event) }
    guard let recipients else { return }
    // An index avoids a copy of the member.
    for index in recipients.indices { recipients[index].observer.on(event) }
    if !state.withLock({ $0.finishIfIdle() }) { deliverWaiting() }
  }

  /// Adds an observer.
  ///
  /// It first receives the stored elements, and the stop event if one was sent.
  ///
  /// - Returns: A disposable that removes the observer.
  @inlinable
  package func subscribe(_ observer: any ObserverType<Element>) -> any Disposable {
    let (key, greeting, rest) = state.withLock { $0.join(observer) }
    if let greeting { greet(observer, with: greeting) }
    switch rest {
    case .none: break
    case .waiting: if !state.withLock({ $0.finishIfIdle() }) { deliverWaiting() }
    case .backlog:
      while let event = state.withLock({ $0.nextInBacklog(of: key) }) { observer.on(event) }
    }
    return Membership { [weak self] in self?.leave(key) }
  }

  /// Removes all observers without an event and all stored elements; later observers receive
  /// ``RxError/disposed``.
  package func dispose() {
    _ = state.withLock { $0.dispose() }
  }

  @usableFromInline
  func deliverWaiting() {
    while let (event, recipients) = state.withLock({ $0.next() }) {
      for recipient in recipients { recipient.observer.on(event) }
    }
  }

  @inlinable
  func greet(
    _ observer: any ObserverType<Element>, with greeting: BroadcasterState<Element>.Greeting
  ) {
    for element in greeting.older { observer.on(.next(element)) }
    if let latest = greeting.latest { observer.on(.next(latest)) }
    if let end = greeting.end { observer.on(end) }
  }

  @inlinable
  func leave(_ key: UInt64) {
    _ = state.withLock { $0.leave(key) }
  }
}

// Not generic: the closure is specialized by the module that subscribes, and needs no lookup of metadata.
/// Removes one observer from a broadcaster, which it does not retain.
@usableFromInline
final class Membership: Disposable {
  private let remove: @Sendable () -> Void

  @usableFromInline
  init(remove: @escaping @Sendable () -> Void) {
    self.remove = remove
  }

  @usableFromInline
  func dispose() {
    remove()
  }
}
