internal import ReactorHost
internal import ReactorTransport
internal import Synchronization

/// One client's position in what it sees of a projected session.
///
/// Follows the source of the client's audience. When a commit changes the audience, the subscription drops what it
/// has not sent yet, and begins again in the new audience with a reset. When the client sees nothing any more, the
/// subscription ends with ``EventSubscription/Next/expired``.
final class ViewedSubscription: StreamFeed {
  /// Subscribes to a source, from a position or with a reset.
  typealias Subscribe =
    @Sendable (_ source: AudienceSource, _ resets: Bool) async -> EventChannels.Opened?

  private enum Phase {
    /// The subscription of a generation of the client's entry.
    case open(EventSubscription, generation: Int)

    /// Without a subscription: the audience is another one, or is about to be.
    case closed

    /// A subscription of a generation is being created.
    case opening

    /// It was created; its opening is not sent yet.
    case opened(EventSubscription, StreamOpening, generation: Int)

    /// Too much work of the client waits. The client opens another stream.
    case rejected

    /// The stream is closed.
    case ended
  }

  private let entry: ViewerEntry
  private let views: SessionViews
  private let background: WorkerPool
  private let client: WorkOwner
  private let leave: @Sendable () -> Void
  private let subscribe: Subscribe
  /// Woken by the groups of later subscriptions: those of a stream do not change while it is open.
  private let relay = GroupRelay()
  private let phase: Mutex<Phase>
  let groups: [StreamGroup]

  /// Opens the stream of a client that has entered.
  ///
  /// - Parameters:
  ///   - entry: The client's entry, which the subscription leaves.
  ///   - views: The session.
  ///   - subscribe: Subscribes to a source.
  ///   - background: Reads and encodes what the client sees after a change of its audience.
  ///   - client: The owner of this work.
  ///   - leave: Called when the stream is closed.
  /// - Returns: The subscription and its first output, as ``EventChannels/subscribe`` returns them.
  static func open(
    _ entry: ViewerEntry, of views: SessionViews, subscribe: @escaping Subscribe,
    on background: WorkerPool, for client: WorkOwner, leave: @escaping @Sendable () -> Void
  ) async -> (any StreamFeed, StreamOpening)? {
    let (standing, generation) = entry.now
    func make(_ phase: consuming sending Phase, _ groups: [StreamGroup] = []) -> ViewedSubscription
    {
      ViewedSubscription(entry, views, subscribe, background, client, leave, phase, groups)
    }
    guard case .sees(let source) = standing else { return (make(.closed), StreamOpening()) }
    guard let (subscription, opening) = await subscribe(source, false) else {
      leave()
      return nil
    }
    // A commit may have changed the audience, so that the opening is not for this client.
    guard entry.generation == generation else {
      subscription.close()
      return (make(.closed), StreamOpening())
    }
    return (make(.open(subscription, generation: generation), subscription.groups), opening)
  }

  private init(
    _ entry: ViewerEntry, _ views: SessionViews, _ subscribe: @escaping Subscribe,
    _ background: WorkerPool, _ client: WorkOwner, _ leave: @escaping @Sendable () -> Void,
    _ phase: sending Phase, _ groups: [StreamGroup]
  ) {
    self.background = background
    self.client = client
    self.entry = entry
    self.views = views
    self.subscribe = subscribe
    self.leave = leave
    self.phase = Mutex(phase)
    self.groups = groups + [entry.group, relay.group]
  }

  func next() -> EventSubscription.Next {
    while true {
      let (standing, generation) = entry.now
      switch phase.withLock({ $0 }) {
      case .open(let subscription, generation):
        let next = subscription.next()
        // The check after the read: nothing of the commit that has changed the audience is sent.
        if entry.generation == generation { return next }
      case .open(let subscription, _): drop(subscription)
      case .opened(let subscription, let opening, generation):
        set(.open(subscription, generation: generation))
        return .reset(opening)
      case .opened(let subscription, _, _): drop(subscription)
      case .opening: return .idle
      case .rejected, .ended: return .ended(.interrupted)
      case .closed:
        switch standing {
        case .sees(let source): reopen(source, generation)
        case .moving: return .idle
        case .nothing: return .expired
        case .failed: return .ended(.interrupted)
        }
      }
    }
  }

  private func set(_ next: Phase) {
    phase.withLock { if case .ended = $0 { return } else { $0 = next } }
  }

  private func drop(_ subscription: EventSubscription) {
    relay.stop()
    subscription.close()
    set(.closed)
  }

  private func reopen(_ source: AudienceSource, _ generation: Int) {
    set(.opening)
    background.begin(for: client) { [self] in
      guard let (subscription, opening) = await subscribe(source, true) else {
        set(.rejected)
        return relay.group.wake()
      }
      relay.follow(subscription.groups)
      let isClosed = phase.withLock { phase in
        if case .ended = phase { return true }
        phase = .opened(subscription, opening, generation: generation)
        return false
      }
      if isClosed {
        relay.stop()
        subscription.close()
      }
      relay.group.wake()
    }
  }

  var retainedBytes: Int {
    switch phase.withLock({ $0 }) {
    case .open(let subscription, _), .opened(let subscription, _, _): subscription.retainedBytes
    case .closed, .opening, .rejected, .ended: 0
    }
  }

  func close() {
    let last = phase.withLock { phase in
      defer { phase = .ended }
      return phase
    }
    relay.stop()
    switch last {
    case .open(let subscription, _), .opened(let subscription, _, _): subscription.close()
    case .closed, .opening, .rejected: break
    // A second departure would take the entry of the client's other streams, whose audience then stayed as it is.
    case .ended: return
    }
    leave()
  }
}

/// A group of one stream that is woken by other groups.
private final class GroupRelay: StreamWaking {
  let group = StreamGroup()
  private let followed = Mutex<[StreamGroup]>([])

  /// Follows groups instead of the earlier ones.
  func follow(_ groups: [StreamGroup]) {
    stop()
    followed.withLock { $0 = groups }
    for followed in groups { followed.add(self) }
  }

  func stop() {
    let groups = followed.withLock { followed in
      defer { followed = [] }
      return followed
    }
    for group in groups { group.remove(self) }
  }

  func wake(_ group: StreamGroup) { self.group.wake() }

  func end(_ group: StreamGroup) { self.group.end() }
}
