internal import ReactorHost
internal import ReactorLog
internal import ReactorTransport
internal import Shares
internal import Synchronization

/// The channels that have subscribers.
final class EventChannels: Sendable {
  private struct Key: Hashable {
    let source: ObjectIdentifier
    let view: StreamView
  }

  private struct Table {
    var channels: [Key: (channel: EventChannel, streams: Int)] = [:]
    /// The number of views per source, those of whole States excluded.
    var views: [ObjectIdentifier: Int] = [:]
    var isDraining = false

    mutating func removeView(of source: ObjectIdentifier) {
      let count = views[source, default: 1] - 1
      views[source] = count > 0 ? count : nil
    }
  }

  /// The maximum number of views per source whose events are created on the publishing thread.
  static let firstViews = 16

  let bound: Int
  /// Executes work that would block a stream loop.
  let background: WorkerPool
  /// Reads histories for streams with `replay=all`.
  let reads = HistoryReads()
  let counts = StreamCounts()
  /// The parsed States of all channels.
  let documents = DocumentCache()
  let activities = NoticeChannels<ActivityChannel>()
  let presences = NoticeChannels<PresenceChannel>()
  let signals = NoticeChannels<SignalChannel>()
  /// The streams of `/v1/changes`, woken by commits and when the service drains.
  let changeStreams = StreamGroup()
  /// The projected sessions with streams.
  let views = SessionViewsTable()
  let ledger: Ledger
  private let table = Mutex(Table())
  /// The open subscriptions to every version, each of which retains States for its client alone.
  private let replays = Mutex<[ObjectIdentifier: EventSubscription]>([:])
  /// The time from which channels may be searched for bytes to release, in milliseconds.
  private let nextRelief = Atomic<Int64>(0)

  init(bound: Int, background: WorkerPool, ledger: Ledger = Ledger()) {
    self.bound = bound
    self.background = background
    self.ledger = ledger
  }

  /// The number of open streams.
  var streamCount: Int {
    table.withLock { $0.channels.values.reduce(0) { $0 + $1.streams } }
  }

  /// Adds a stream of a client to the channel of a session or global and a view; creates the channel
  /// for the first stream.
  func join(
    _ source: any StateSource, _ view: StreamView, of client: WorkOwner = .streams
  ) -> EventChannel {
    let key = Key(source: ObjectIdentifier(source), view: view)
    return table.withLock { table in
      if var entry = table.channels[key] {
        entry.streams += 1
        table.channels[key] = entry
        return entry.channel
      }
      let isExtra = !view.isPlain && table.views[key.source, default: 0] >= Self.firstViews
      if !view.isPlain { table.views[key.source, default: 0] += 1 }
      let channel = EventChannel(
        source, view, bound: bound, background: background, documents: documents, client: client,
        ledger: ledger, isExtra: isExtra, mustRelease: { [weak self] in self?.relieveMemory() })
      table.channels[key] = (channel, 1)
      // Start within the lock: no stream may join a channel that does not observe its source yet.
      channel.start()
      return channel
    }
  }

  /// Removes a stream; the channel stops with its last stream.
  func leave(_ channel: EventChannel) {
    let key = Key(source: ObjectIdentifier(channel.source), view: channel.view)
    let isLast = table.withLock { table in
      guard var entry = table.channels[key], entry.channel === channel else { return false }
      entry.streams -= 1
      table.channels[key] = entry.streams > 0 ? entry : nil
      if entry.streams == 0, !channel.view.isPlain { table.removeView(of: key.source) }
      return entry.streams == 0
    }
    if isLast { channel.stop() }
  }

  /// Adds a subscription to every version.
  func add(_ replay: EventSubscription) {
    replays.withLock { $0[ObjectIdentifier(replay)] = replay }
  }

  /// Removes a subscription to every version.
  func remove(_ replay: EventSubscription) {
    _ = replays.withLock { $0.removeValue(forKey: ObjectIdentifier(replay)) }
  }

  /// Releases bytes of the clients whose channels and replays retain most, if all retain too many: events, and if
  /// that is not enough, streams.
  ///
  /// On a background thread, and at most every 50 ms, because it visits all channels.
  func relieveMemory() {
    guard ledger.mustRelease(.views) else { return }
    let (now, due) = (Timestamp.now.milliseconds, nextRelief.load(ordering: .relaxed))
    guard now >= due,
      nextRelief.compareExchange(expected: due, desired: now + 50, ordering: .relaxed).exchanged
    else { return }
    background.enqueue(for: .streams) { [self] in
      let channels = Dictionary(grouping: all) { $0.account }
      let replays = Dictionary(grouping: self.replays.withLock { Array($0.values) }) { $0.account }
      var slice = WorkSlice()
      while ledger.mustRelease(.views), let largest = ledger.largest(.views), !slice.isOver() {
        let own = channels[largest] ?? []
        let bytes = largest.held(.views)
        for channel in own { channel.dropEvents() }
        let ownReplays = (replays[largest] ?? []).map { (replay: $0, bytes: $0.countedBytes) }
        for (replay, bytes) in ownReplays.sorted(by: { $0.bytes > $1.bytes })
        where ledger.mustRelease(.views) && bytes > 0 {
          replay.interrupt()
          ledger.didEnd(.views)
        }
        for channel in own.sorted(by: { $0.retainedBytes > $1.retainedBytes })
        where ledger.mustRelease(.views) && channel.retainedBytes > 0 {
          interrupt(channel)
          ledger.didEnd(.views)
        }
        // Channels that were created meanwhile are visited the next time.
        guard largest.held(.views) < bytes else { return }
      }
    }
  }

  /// Ends streams of the largest sessions that an account has in memory, so that these can be evicted.
  func endStreams(ofSessionsOf account: Account) {
    background.enqueue(for: .streams) { [self] in
      let sources = Dictionary(grouping: all) { ObjectIdentifier($0.source) }.values
        .filter { ($0[0].source as? any HeldSource)?.account == account }
        .map { (channels: $0, bytes: $0[0].source.current.json.count) }
      var excess = ledger.excess(of: .states)
      for source in sources.sorted(by: { $0.bytes > $1.bytes }) where excess > 0 {
        for channel in source.channels { interrupt(channel) }
        ledger.didEnd(.states)
        // A State counts twice, see `LiveSession.countState(_:)`.
        excess -= 2 * source.bytes
      }
    }
  }

  private var all: [EventChannel] { table.withLock { $0.channels.values.map(\.channel) } }

  /// Ends the streams of a channel; later streams get another one.
  private func interrupt(_ channel: EventChannel) {
    let key = Key(source: ObjectIdentifier(channel.source), view: channel.view)
    table.withLock { table in
      guard table.channels[key]?.channel === channel else { return }
      table.channels[key] = nil
      if !channel.view.isPlain { table.removeView(of: key.source) }
    }
    channel.stop()
    channel.interrupt()
  }

  /// Whether the streams are being ended.
  var isDraining: Bool {
    table.withLock { $0.isDraining }
  }

  func drain() {
    let channels = table.withLock { table in
      table.isDraining = true
      return table.channels.values.map(\.channel)
    }
    for channel in channels { channel.group.wake() }
    changeStreams.wake()
  }
}

extension EventChannels: ChangeObserver {
  func changesDidCommit() { changeStreams.wake() }
}
