/// Who observes a broadcaster, what waits for delivery, and whose turn it is.
///
/// One thread delivers at a time. It becomes the deliverer by sending (or joining) while there is
/// none, and stays it until ``next()`` finds nothing more.
///
/// What leaves the state is returned to the caller, who holds a lock here and none when it lets go:
/// an observer's or an element's `deinit` may be the user's code.
@usableFromInline
struct BroadcasterState<Element: Sendable>: Sendable {
  @usableFromInline
  struct Member: Sendable {
    let key: UInt64
    @usableFromInline let observer: any ObserverType<Element>
  }

  /// What a new observer is given before the events that are sent later.
  @usableFromInline
  struct Greeting: Sendable {
    let replayed: [Element]
    let end: Event<Element>?

    var isEmpty: Bool {
      replayed.isEmpty && end == nil
    }
  }

  /// What the deliverer does next.
  enum Delivery {
    case event(Event<Element>, [Member])
    case greeting(Greeting, Member)
  }

  @usableFromInline
  enum Item: Sendable {
    /// An event, for the members whose keys are below the limit: those who joined before it.
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

  /// Takes an event in.
  ///
  /// - Returns: Those to whom the caller must deliver it now, as the deliverer; `nil` where there is
  ///   nothing to do, since the stream has ended or since another one delivers it. And the element
  ///   that is kept no longer.
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
  /// - Returns: Its key; the greeting that the caller must give it at once; and whether the caller
  ///   has become the deliverer thereby.
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
    // An observer that subscribes another one expects it to be greeted before `subscribe` returns.
    if deliverer == thread { return (member.key, greeting, false) }
    deliverer = thread
    return (member.key, greeting, true)
  }

  /// Takes an observer out.
  mutating func leave(_ key: UInt64) -> Member? {
    guard let index = firstIndex(notBelow: key), members[index].key == key else { return nil }
    return members.remove(at: index)
  }

  /// Whether nothing waits, which makes the deliverer that no more.
  ///
  /// It is asked after each event and nearly always so; ``next()`` costs more.
  @inlinable
  mutating func finishIfIdle() -> Bool {
    guard waiting.isEmpty else { return false }
    deliverer = 0
    return true
  }

  /// What the deliverer delivers next; `nil` makes it the deliverer no more.
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

  /// Lets everyone go and refuses whoever comes.
  ///
  /// - Returns: What was held.
  mutating func dispose() -> Self {
    let held = self
    members = []
    waiting = Fifo()
    replayed.removeAll()
    end = .error(RxError.disposed)
    return held
  }

  private mutating func recipients(of event: Event<Element>, below limit: UInt64) -> [Member] {
    let count = firstIndex(notBelow: limit) ?? members.count
    defer { if event.isStopEvent { members.removeFirst(count) } }
    return count == members.count ? members : Array(members[..<count])
  }

  /// The first member whose key is not below a limit.
  ///
  /// Keys rise along the list.
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
