/// The observers of a broadcaster, the events that wait for delivery, and the delivering thread.
///
/// One thread, the deliverer, delivers at a time. If there is no deliverer, a thread that sends an
/// event or adds an observer becomes it, until ``next()`` returns `nil`.
///
/// The caller holds a lock. Methods return removed observers and elements, so that the caller
/// releases them after the lock: their `deinit` can execute user code.
@usableFromInline
struct BroadcasterState<Element: Sendable>: Sendable {
  @usableFromInline
  struct Member: Sendable {
    let key: UInt64
    @usableFromInline let observer: any ObserverType<Element>
  }

  /// The events that a new observer receives first.
  @usableFromInline
  struct Greeting: Sendable {
    let replayed: [Element]
    let end: Event<Element>?

    var isEmpty: Bool {
      replayed.isEmpty && end == nil
    }
  }

  /// The next step of the deliverer.
  enum Delivery {
    case event(Event<Element>, [Member])
    case greeting(Greeting, Member)
  }

  @usableFromInline
  enum Item: Sendable {
    /// An event for the members whose keys are below the limit, which joined before it was sent.
    case event(Event<Element>, limit: UInt64)
    case greeting(Greeting, Member)
  }

  @usableFromInline var members: [Member] = []
  @usableFromInline var end: Event<Element>?
  @usableFromInline var replayed: ReplayBuffer<Element>
  private let replaysAfterEnd: Bool
  @usableFromInline var nextKey: UInt64 = 0
  @usableFromInline var deliverer: UInt = 0  // a thread, or 0
  @usableFromInline var waiting = Fifo<Item>()

  init(replayed: ReplayBuffer<Element>, replaysAfterEnd: Bool) {
    self.replayed = replayed
    self.replaysAfterEnd = replaysAfterEnd
  }

  /// Accepts an event.
  ///
  /// - Returns: The observers to which the caller, as the deliverer, must deliver the event (`nil`
  ///   if the stream has ended or another thread delivers it), and the stored element that the
  ///   event replaced.
  @inlinable
  mutating func admit(_ event: Event<Element>) -> (recipients: [Member]?, dropped: Element?) {
    guard end == nil else { return (nil, nil) }
    var dropped: Element?
    if case .next(let element) = event { dropped = replayed.append(element) } else { end = event }
    guard deliverer == 0 else {
      waiting.append(.event(event, limit: nextKey))
      return (nil, dropped)
    }
    deliverer = CurrentThread.id
    defer { if event.isStopEvent { members = [] } }
    return (members, dropped)
  }

  /// Adds an observer.
  ///
  /// - Returns: The key of the observer, the greeting that the caller must deliver immediately, and
  ///   whether the caller has become the deliverer.
  mutating func join(
    _ observer: any ObserverType<Element>
  ) -> (key: UInt64, greeting: Greeting?, mustDeliver: Bool) {
    let member = Member(key: nextKey, observer: observer)
    nextKey += 1
    let greeting = Greeting(
      replayed: end == nil || replaysAfterEnd ? replayed.elements : [], end: end)
    let thread = CurrentThread.id
    if deliverer != 0, deliverer != thread {
      members.append(member)
      if !greeting.isEmpty { waiting.append(.greeting(greeting, member)) }
      return (member.key, nil, false)
    }
    if end == nil { members.append(member) }
    if greeting.isEmpty { return (member.key, nil, false) }
    // Deliver the greeting immediately: an observer that subscribes another observer expects it
    // before `subscribe` returns.
    if deliverer == thread { return (member.key, greeting, false) }
    deliverer = thread
    return (member.key, greeting, true)
  }

  /// Removes an observer.
  mutating func leave(_ key: UInt64) -> Member? {
    guard let index = firstIndex(notBelow: key), members[index].key == key else { return nil }
    return members.remove(at: index)
  }

  /// Releases the deliverer role if no event waits; returns whether it was released.
  ///
  /// This is the common case after an event, and cheaper than ``next()``.
  @inlinable
  mutating func finishIfIdle() -> Bool {
    guard waiting.isEmpty else { return false }
    deliverer = 0
    return true
  }

  /// Returns the next delivery.
  ///
  /// If there is none, releases the deliverer role and returns `nil`.
  mutating func next() -> Delivery? {
    while let item = waiting.popFirst() {
      switch item {
      case .event(let event, let limit):
        return .event(event, recipients(of: event, below: limit))
      case .greeting(let greeting, let member):
        guard let index = firstIndex(notBelow: member.key), members[index].key == member.key
        else { continue }
        if greeting.end != nil { members.remove(at: index) }
        return .greeting(greeting, member)
      }
    }
    deliverer = 0
    return nil
  }

  /// Removes all observers and rejects later ones.
  ///
  /// - Returns: The previous state, for release outside of the lock.
  mutating func dispose() -> Self {
    let previous = self
    members = []
    waiting = Fifo()
    replayed.removeAll()
    end = .error(RxError.disposed)
    return previous
  }

  /// Whether ``dispose()`` was called.
  var isDisposed: Bool {
    if case .error(RxError.disposed) = end { true } else { false }
  }

  private mutating func recipients(of event: Event<Element>, below limit: UInt64) -> [Member] {
    let count = firstIndex(notBelow: limit) ?? members.count
    defer { if event.isStopEvent { members.removeFirst(count) } }
    return count == members.count ? members : Array(members[..<count])
  }

  /// Returns the index of the first member whose key is not below a limit.
  ///
  /// Members are sorted by key.
  private func firstIndex(notBelow limit: UInt64) -> Int? {
    if let last = members.last, last.key < limit { return nil }
    var low = 0
    var high = members.count
    while low < high {
      let middle = low + (high - low) / 2
      if members[middle].key < limit { low = middle + 1 } else { high = middle }
    }
    return low < members.count ? low : nil
  }
}
