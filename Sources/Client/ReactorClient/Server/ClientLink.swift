internal import ClientCore
internal import Dispatch
internal import ReactorStreams
internal import Synchronization

/// The parts of a client that its reactors share: the streams, the sender, and the sessions.
final class ClientLink: Sendable {
  private struct Contents: Sendable {
    var channels: [String: SessionChannel] = [:]
    var streams: [StreamDriver] = []
    /// The streams that belong to no session, such as those of globals.
    var feeds: [MachineDriver<EventFeed>] = []
    /// The channels that became idle since the last sweep.
    var idle: [String: SessionChannel] = [:]
    var isPaused = false
    var isClosed = false
    var nextID: UInt64 = 0
  }

  let configuration: ClientConfiguration
  let clock = ClientClock()
  let queue = DispatchQueue(label: "reactor-client")
  /// The queue on which States are decoded, and their observers called unless the configuration has
  /// a delivery queue.
  let decoding = DispatchQueue.global(qos: .userInitiated)
  /// The scheduler of the configuration's delivery queue, or `nil` for background threads.
  private let deliveries: SerialDispatchQueueScheduler?
  let status = BehaviorRelay(value: ConnectionStatus.connecting)
  let problems = PublishSubject<Problem>()
  let journal: ActionJournal?
  let states: StateStore?
  let checks = TypeChecks()

  let sender: RequestSender

  private let contents = Mutex(Contents())
  private let ownQueue = DispatchSpecificKey<Bool>()

  init(
    _ transport: any ClientTransport, _ token: (@Sendable () async throws -> String)?,
    _ configuration: ClientConfiguration
  ) {
    self.configuration = configuration
    let renewed = Renewal()
    let tokens = TokenStore(token, on: queue, clock) { renewed.call() }
    sender = RequestSender(transport, tokens)
    journal = configuration.offlineQueue.map { ActionJournal($0) }
    states = configuration.storedStates.map { StateStore($0, bound: configuration.storedSessions) }
    deliveries = configuration.deliveryQueue.map {
      SerialDispatchQueueScheduler(queue: $0, internalSerialQueueName: "reactor-deliveries")
    }
    queue.setSpecific(key: ownQueue, value: true)
    renewed.set { [weak self] in
      self?.onStreams { $0.renew(now: $1) }
      self?.onFeeds { $0.renew(now: $1) }
    }
    restore()
    #if canImport(Network)
      let monitor = NetworkMonitor { [weak self] in self?.reconnect() }
      self.monitor.withLock { $0 = monitor }
    #endif
  }

  #if canImport(Network)
    private let monitor = Mutex<NetworkMonitor?>(nil)
  #endif

  /// Executes a body on the client's queue.
  ///
  /// The caller waits, unless it runs on that queue: a transport cannot deliver bytes faster than
  /// they are processed.
  func enter(_ body: @escaping @Sendable () -> Void) {
    if DispatchQueue.getSpecific(key: ownQueue) == true {
      queue.async(execute: body)
    } else {
      queue.sync(execute: body)
    }
  }

  /// Returns a stream whose observers are called on the configuration's delivery queue, if there is
  /// one.
  func delivered<Element>(_ stream: Observable<Element>) -> Observable<Element> {
    deliveries.map { stream.observe(on: $0) } ?? stream
  }

  /// Whether the client is closed and sends no further requests.
  var isClosed: Bool { contents.withLock { $0.isClosed } }

  /// Returns the number of the next action.
  func newID() -> UInt64 {
    contents.withLock { contents in
      contents.nextID += 1
      return contents.nextID
    }
  }

  // MARK: Sessions

  /// Returns the channel of a session if it exists.
  func channel(_ key: String) -> SessionChannel? { contents.withLock { $0.channels[key] } }

  /// Returns the channel of a session, which is created if necessary.
  ///
  /// A closed client retains no channels and no streams, which refer to it.
  func openChannel(_ key: String) -> SessionChannel {
    contents.withLock { contents in
      if let channel = contents.channels[key] { return channel }
      let channel = SessionChannel(key, self)
      if !contents.isClosed { contents.channels[key] = channel }
      return channel
    }
  }

  /// Adds a channel to the table again, if it was removed while it had no observers.
  func register(_ channel: SessionChannel) {
    contents.withLock { contents in
      guard contents.channels[channel.key] == nil, !contents.isClosed else { return }
      contents.channels[channel.key] = channel
    }
  }

  /// Adds a session to a stream.
  func join(_ key: String) {
    queue.async { [self] in
      let (driver, isPaused) = contents.withLock { contents -> (StreamDriver?, Bool) in
        guard !contents.isClosed else { return (nil, true) }
        let known = contents.streams.first { $0.has(key) }
        if let driver = known ?? contents.streams.first(where: { $0.hasRoom }) {
          return (driver, contents.isPaused)
        }
        let driver = StreamDriver(self)
        contents.streams.append(driver)
        return (driver, contents.isPaused)
      }
      guard let driver else { return }
      if isPaused { driver.apply { machine, _ in machine.pause() } }
      let channel = channel(key)
      let (topics, selection) = (channel?.topics ?? [], channel?.selection ?? .whole)
      driver.apply { $0.join(key, topics: topics, selection: selection, now: $1) }
      channel?.streamChanged(driver.status)
    }
  }

  /// Removes a session from its stream, if it is not observed any more.
  func leave(_ channel: SessionChannel) {
    queue.async { [self] in remove(channel) }
  }

  /// Removes a channel without observers and actions, unless it is used again within a second.
  ///
  /// Because of the delay, consecutive actions use the same channel.
  func retire(_ channel: SessionChannel) {
    let isFirst = contents.withLock { contents in
      defer { contents.idle[channel.key] = channel }
      return contents.idle.isEmpty
    }
    guard isFirst else { return }
    queue.asyncAfter(deadline: .now() + 1) { [weak self] in
      guard let self else { return }
      let idle = contents.withLock { contents in
        defer { contents.idle = [:] }
        return Array(contents.idle.values)
      }
      for channel in idle { remove(channel) }
    }
  }

  private func remove(_ channel: SessionChannel) {
    guard channel.leaveUnlessObserved() else { return }
    let streams = contents.withLock { contents in
      if channel.isIdle, contents.channels[channel.key] === channel {
        contents.channels[channel.key] = nil
      }
      return contents.streams
    }
    for driver in streams where driver.has(channel.key) {
      driver.apply { $0.leave(channel.key, now: $1) }
    }
  }

  /// Opens a stream that belongs to no session.
  func add(_ feed: MachineDriver<EventFeed>) {
    queue.async { [self] in
      let isOpen = contents.withLock { contents in
        guard !contents.isClosed else { return false }
        contents.feeds.append(feed)
        return !contents.isPaused
      }
      if isOpen { feed.apply { $0.start(now: $1) } }
    }
  }

  /// Closes a stream that belongs to no session.
  func remove(_ feed: MachineDriver<EventFeed>) {
    queue.async { [self] in
      contents.withLock { $0.feeds.removeAll { $0 === feed } }
      feed.apply { machine, _ in machine.stop() }
    }
  }

  func streamChanged(_ driver: StreamDriver, _ status: ConnectionStatus) {
    self.status.accept(status)
    for channel in contents.withLock({ Array($0.channels.values) }) where driver.has(channel.key) {
      channel.streamChanged(status)
    }
  }

  // MARK: The whole client

  func pause() {
    contents.withLock { $0.isPaused = true }
    states?.flush()
    onStreams { machine, _ in machine.pause() }
    onFeeds { machine, _ in machine.stop() }
  }

  func resume() {
    restore()
    contents.withLock { $0.isPaused = false }
    for channel in contents.withLock({ Array($0.channels.values) }) { channel.retryNow() }
    onStreams { $0.resume(now: $1) }
    onFeeds { $0.start(now: $1) }
  }

  /// Replaces the streams, whose connections are those of another network, and repeats pending actions,
  /// unless the client is paused.
  func reconnect() {
    let channels = contents.withLock { contents in
      contents.isPaused || contents.isClosed ? nil : Array(contents.channels.values)
    }
    guard let channels else { return }
    for channel in channels { channel.retryNow() }
    onStreams { $0.resume(now: $1) }
    onFeeds { $0.reopen(now: $1) + $0.start(now: $1) }
  }

  func close() {
    let isFirst = contents.withLock { contents in
      defer { contents.isClosed = true }
      return !contents.isClosed
    }
    guard isFirst else { return }
    pause()
    queue.async { [self] in
      sender.transport.close()
      let channels = contents.withLock { contents in
        defer {
          // The streams and the channels refer to this object: removing them breaks the reference
          // cycles.
          contents.streams = []
          contents.feeds = []
          contents.channels = [:]
          contents.idle = [:]
        }
        return Array(contents.channels.values)
      }
      for channel in channels { channel.close() }
    }
  }

  private func onStreams(
    _ change: @escaping @Sendable (inout StreamMachine, Duration) -> [StreamMachine.Output]
  ) {
    queue.async { [self] in
      for driver in contents.withLock({ $0.streams }) { driver.apply(change) }
    }
  }

  private func onFeeds(
    _ change: @escaping @Sendable (inout EventFeed, Duration) -> [EventFeed.Output]
  ) {
    queue.async { [self] in
      for feed in contents.withLock({ $0.feeds }) { feed.apply(change) }
    }
  }

  /// Adds the actions of an earlier process to the queues of their sessions, once their file can be
  /// read.
  private func restore() {
    guard let journal, !isClosed else { return }
    let stored = journal.load(now: clock.now).map { (key, restored) in
      var restored = restored
      restored.action.id = newID()
      return (key: key, restored: restored)
    }
    for (key, actions) in Dictionary(grouping: stored, by: \.key) {
      openChannel(key).restore(actions.map(\.restored))
    }
  }
}

/// A callback that is set after the object that calls it exists.
private final class Renewal: Sendable {
  private let body = Mutex<(@Sendable () -> Void)?>(nil)

  func set(_ body: @escaping @Sendable () -> Void) { self.body.withLock { $0 = body } }

  func call() { body.withLock { $0 }?() }
}
