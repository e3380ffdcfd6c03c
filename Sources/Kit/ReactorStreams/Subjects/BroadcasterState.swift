/// The observers of a broadcaster, the events that wait for delivery, and the delivering thread.
///
/// One thread, the deliverer, delivers at a time. If there is no deliverer, a thread that sends an
/// event or adds an observer becomes it, until ``next()`` returns `nil`.
///
/// A new observer receives the stored elements from the thread that adds it, also while another
/// thread is the deliverer. Events that are delivered meanwhile wait in its backlog, which that
/// thread delivers as well.
///
/// The caller holds a lock. Methods return removed observers and elements, so that the caller
/// releases them after the lock: their `deinit` can execute user code.
@usableFromInline
struct BroadcasterState<Element: Sendable>: Sendable {
  @usableFromInline
  struct Member: Sendable {
    @usableFromInline let key: UInt64
    @usableFromInline let observer: any ObserverType<Element>

    @inlinable
    init(key: UInt64, observer: any ObserverType<Element>) {
      self.key = key
      self.observer = observer
    }
  }

  /// The events that a new observer receives first.
  @usableFromInline
  struct Greeting: Sendable {
    /// The replayed elements before the latest one.
    @usableFromInline let older: [Element]
    @usableFromInline let latest: Element?
    @usableFromInline let end: Event<Element>?

    @inlinable
    init(older: [Element], latest: Element?, end: Event<Element>?) {
      self.older = older
      self.latest = latest
      self.end = end
    }
  }

  /// An event for the members whose keys are below the limit, which joined before it was sent.
  @usableFromInline
  struct Item: Sendable {
    @usableFromInline let event: Event<Element>
    @usableFromInline let limit: UInt64

    @usableFromInline
    init(event: Event<Element>, limit: UInt64) {
      self.event = event
      self.limit = limit
    }
  }

  /// The backlog of a member that is being greeted while another thread is the deliverer.
  @usableFromInline
  struct Backlog: Sendable {
    @usableFromInline let key: UInt64
    @usableFromInline var events = Fifo<Event<Element>>()

    @usableFromInline
    init(key: UInt64) {
      self.key = key
    }
  }

  /// The events that a thread must deliver after a greeting.
  @usableFromInline
  enum Rest {
    case none
    /// Those that wait for a deliverer: the thread has become it.
    case waiting
    /// Those in the backlog of the member.
    case backlog
  }

  @usableFromInline var members: [Member] = []
  @usableFromInline var end: Event<Element>?
  @usableFromInline var replayed: ReplayBuffer<Element>
  @usableFromInline let replaysAfterEnd: Bool
  @usableFromInline var nextKey: UInt64 = 0
  @usableFromInline var deliverer: UInt = 0  // a thread, or 0
  @usableFromInline var waiting = Fifo<Item>()
  @usableFromInline var backlogs: [Backlog] = []

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
      waiting.append(Item(event: event, limit: nextKey))
      return (nil, dropped)
    }
    deliverer = CurrentThread.id
    if !backlogs.isEmpty { return (recipients(of: event, below: nextKey), dropped) }
    defer { if event.isStopEvent { members = [] } }
    return (members, dropped)
  }

  /// Adds an observer.
  ///
  /// - Returns: The key of the observer, the greeting that the caller must deliver immediately, and
  ///   the events that it must deliver afterwards.
  @inlinable
  mutating func join(
    _ observer: any ObserverType<Element>
  ) -> (key: UInt64, greeting: Greeting?, rest: Rest) {
    let member = Member(key: nextKey, observer: observer)
    nextKey += 1
    if end == nil { members.append(member) }
    let replays = replayed.latest != nil && (end == nil || replaysAfterEnd)
    guard replays || end != nil else { return (member.key, nil, .none) }
    let greeting = Greeting(
      older: replays ? replayed.older.elements : [], latest: replays ? replayed.latest : nil,
      end: end)
    let thread = CurrentThread.id
    if deliverer == thread { return (member.key, greeting, .none) }
    guard deliverer == 0 else {
      if end == nil { backlogs.append(Backlog(key: member.key)) }
      return (member.key, greeting, .backlog)
    }
    deliverer = thread
    return (member.key, greeting, .waiting)
  }

  /// Returns the next event for a member that is being greeted; `nil` ends its greeting.
  @inlinable
  mutating func nextInBacklog(of key: UInt64) -> Event<Element>? {
    guard let index = backlogs.firstIndex(where: { $0.key == key }) else { return nil }
    if let event = backlogs[index].events.popFirst() { return event }
    backlogs.remove(at: index)
    return nil
  }

  /// Removes an observer.
  @inlinable
  mutating func leave(_ key: UInt64) -> (Member?, Backlog?) {
    let backlog = backlogs.firstIndex { $0.key == key }.map { backlogs.remove(at: $0) }
    guard let index = firstIndex(notBelow: key), members[index].key == key else {
      return (nil, backlog)
    }
    return (members.remove(at: index), backlog)
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
  mutating func next() -> (event: Event<Element>, recipients: [Member])? {
    guard let item = waiting.popFirst() else {
      deliverer = 0
      return nil
    }
    return (item.event, recipients(of: item.event, below: item.limit))
  }

  /// Removes all observers and rejects later ones.
  ///
  /// - Returns: The previous state, for release outside of the lock.
  mutating func dispose() -> Self {
    let previous = self
    members = []
    waiting = Fifo()
    backlogs = []
    replayed.removeAll()
    end = .error(RxError.disposed)
    return previous
  }

  /// Whether ``dispose()`` was called.
  var isDisposed: Bool {
    if case .error(RxError.disposed) = end { true } else { false }
  }

  /// Returns the members to which the deliverer must deliver an event.
  ///
  /// For the members that are being greeted, it is added to their backlogs.
  @usableFromInline
  mutating func recipients(of event: Event<Element>, below limit: UInt64) -> [Member] {
    let count = firstIndex(notBelow: limit) ?? members.count
    defer { if event.isStopEvent { members.removeFirst(count) } }
    guard !backlogs.isEmpty else {
      return count == members.count ? members : Array(members[..<count])
    }
    for index in backlogs.indices where backlogs[index].key < limit {
      backlogs[index].events.append(event)
    }
    return members[..<count].filter { member in !backlogs.contains { $0.key == member.key } }
  }

  /// Returns the index of the first member whose key is not below a limit.
  ///
  /// Members are sorted by key.
  @inlinable
  func firstIndex(notBelow limit: UInt64) -> Int? {
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
