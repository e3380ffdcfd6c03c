internal import Synchronization

/// Delivers events to any number of observers: the heart of every subject.
///
/// Observers are served in the order in which they subscribed, at any count. Events that arrive
/// during a delivery, from another thread or from an observer, follow when it is done, so every
/// observer sees the same order.
package final class Broadcaster<Element: Sendable>: Sendable {
  private enum Item: Sendable {
    case event(Event<Element>)
    case join(any ObserverType<Element>, UInt64)
  }

  private struct State {
    var observers: [(key: UInt64, observer: any ObserverType<Element>)] = []
    var replayed: [Element] = []
    var end: Event<Element>?
    var nextKey: UInt64 = 0
    var left: Set<UInt64> = []  // keys that left before their joining was handled

    mutating func keep(_ element: Element, atMost count: Int) {
      guard count > 0 else { return }
      if replayed.count >= count { replayed.removeFirst() }
      replayed.append(element)
    }
  }

  private let state: Mutex<State>
  private let queue = SerialQueue<Item>()
  private let replay: Int

  /// Makes a broadcaster that gives each new observer the last `replay` elements first.
  package init(replay: Int, seed: [Element] = []) {
    self.replay = replay
    state = Mutex(State(replayed: seed))
  }

  /// How many observers there are.
  package var observerCount: Int {
    state.withLock { $0.observers.count }
  }

  /// Delivers an event to all observers.
  ///
  /// What comes after an end is dropped.
  package func send(_ event: Event<Element>) {
    if case .next(let element) = event, queue.isIdle, keepUnobserved(element) { return }
    queue.post(.event(event), handle: handle)
  }

  /// Keeps an element for those who come later, where nobody is there to receive it.
  ///
  /// This is what mostly happens to a reactor's own streams, so it takes no turn in the queue. That
  /// the queue was idle means that nothing older is still on its way.
  private func keepUnobserved(_ element: Element) -> Bool {
    state.withLock { state in
      guard state.observers.isEmpty, state.end == nil else { return false }
      if replay == 1, state.replayed.count == 1 {
        state.replayed[0] = element
      } else if replay > 0 {
        state.keep(element, atMost: replay)
      }
      return true
    }
  }

  /// Adds an observer: it gets what is replayed, then what follows, or the end.
  ///
  /// - Returns: What takes it out again.
  package func subscribe(_ observer: any ObserverType<Element>) -> any Disposable {
    let key = state.withLock { state in
      defer { state.nextKey += 1 }
      return state.nextKey
    }
    if queue.isOwnedByCurrentThread {
      // An observer that subscribes another one expects it to be served before `subscribe` returns.
      join(observer, key)
    } else {
      queue.post(.join(observer, key), handle: handle)
    }
    return Disposables.create { [weak self] in self?.leave(key) }
  }

  private func handle(_ item: Item) {
    switch item {
    case .event(let event): deliver(event)
    case .join(let observer, let key): join(observer, key)
    }
  }

  private func deliver(_ event: Event<Element>) {
    let observers = state.withLock {
      state -> [(key: UInt64, observer: any ObserverType<Element>)] in
      guard state.end == nil else { return [] }
      defer { if event.isStopEvent { state.observers = [] } }
      if case .next(let element) = event {
        state.keep(element, atMost: replay)
      } else {
        state.end = event
      }
      return state.observers
    }
    for (_, observer) in observers { observer.on(event) }
  }

  private func join(_ observer: any ObserverType<Element>, _ key: UInt64) {
    let (replayed, end) = state.withLock { state -> ([Element], Event<Element>?) in
      guard state.left.remove(key) == nil else { return ([], nil) }
      if state.end == nil { state.observers.append((key, observer)) }
      return (state.replayed, state.end)
    }
    for element in replayed { observer.on(.next(element)) }
    if let end { observer.on(end) }
  }

  private func leave(_ key: UInt64) {
    state.withLock { state in
      if let index = state.observers.firstIndex(where: { $0.key == key }) {
        state.observers.remove(at: index)
      } else if state.end == nil {
        state.left.insert(key)
      }
    }
  }
}
