public import Synchronization

/// Delivers events to any number of observers: the heart of every subject.
///
/// Observers are served in the order in which they subscribed, at any count. Events that arrive
/// during a delivery, from another thread or from an observer, follow when it is done, so every
/// observer sees the same order. An observer receives what was sent after it subscribed; one that
/// leaves receives at most the event that is being delivered.
@usableFromInline
package final class Broadcaster<Element: Sendable>: Sendable {
  @usableFromInline let state: Mutex<BroadcasterState<Element>>

  /// Makes a broadcaster that gives each new observer the last elements first.
  ///
  /// - Parameters:
  ///   - replay: How many elements are kept for new observers.
  ///   - seed: The elements that are kept from the beginning.
  ///   - replaysAfterEnd: Whether one who comes after the end gets the kept elements before the end.
  package init(replay: Int, seed: [Element] = [], replaysAfterEnd: Bool = true) {
    state = Mutex(
      BroadcasterState(
        replayed: ReplayBuffer(limit: replay, seed), replaysAfterEnd: replaysAfterEnd))
  }

  /// How many observers there are.
  package var observerCount: Int {
    state.withLock { $0.members.count }
  }

  /// The element that was sent last, among those that are kept.
  package var latest: Element? {
    state.withLock { $0.replayed.latest }
  }

  /// The end, once it was sent.
  package var end: Event<Element>? {
    state.withLock { $0.end }
  }

  /// Delivers an event to all observers.
  ///
  /// What comes after an end is dropped.
  @inlinable
  package func send(_ event: Event<Element>) {
    let (recipients, _) = state.withLock { $0.admit(event) }
    guard let recipients else { return }
    // By index, which spares a copy of the member.
    for index in recipients.indices { recipients[index].observer.on(event) }
    if !state.withLock({ $0.finishIfIdle() }) { deliverWaiting() }
  }

  /// Adds an observer: it gets what is replayed, then what follows, or the end.
  ///
  /// - Returns: What takes it out again.
  @usableFromInline
  package func subscribe(_ observer: any ObserverType<Element>) -> any Disposable {
    let (key, greeting, mustDeliver) = state.withLock { $0.join(observer) }
    if let greeting { greet(observer, with: greeting) }
    if mustDeliver, !state.withLock({ $0.finishIfIdle() }) { deliverWaiting() }
    return Membership(broadcaster: self, key: key)
  }

  /// Lets all observers go without a word; what is kept is dropped, and whoever comes gets
  /// ``RxError/disposed``.
  package func dispose() {
    _ = state.withLock { $0.dispose() }
  }

  @usableFromInline
  func deliverWaiting() {
    while let delivery = state.withLock({ $0.next() }) {
      switch delivery {
      case .event(let event, let members):
        for member in members { member.observer.on(event) }
      case .greeting(let greeting, let member):
        greet(member.observer, with: greeting)
      }
    }
  }

  private func greet(
    _ observer: any ObserverType<Element>, with greeting: BroadcasterState<Element>.Greeting
  ) {
    for element in greeting.replayed { observer.on(.next(element)) }
    if let end = greeting.end { observer.on(end) }
  }

  fileprivate func leave(_ key: UInt64) {
    _ = state.withLock { $0.leave(key) }
  }
}

/// Takes one observer out of a broadcaster, which it does not keep alive.
private final class Membership<Element: Sendable>: Disposable {
  private weak let broadcaster: Broadcaster<Element>?
  private let key: UInt64

  init(broadcaster: Broadcaster<Element>, key: UInt64) {
    self.broadcaster = broadcaster
    self.key = key
  }

  func dispose() {
    broadcaster?.leave(key)
  }
}
