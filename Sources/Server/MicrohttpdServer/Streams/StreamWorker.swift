internal import ReactorTransport
internal import Shares
internal import SystemThreads

/// The thread of a `StreamLoop`, which owns its connections.
///
/// Connections with work are in one queue, each at most once, in which clients take turns. A turn serves
/// a bounded number of connections and writes a bounded number of bytes, and a connection with many
/// pending bytes returns to the end of the queue after each share. These bounds limit the delay that a
/// broadcast to thousands of streams, or of a large State, causes for the streams of other clients.
///
/// Confined to one thread, its own or a request worker's, and therefore neither locked nor
/// `Sendable`.
final class StreamWorker {
  /// The poller token of the waker; no slot has this index.
  static let wakerToken = UInt64.max

  /// The number of bytes after which a turn ends; it writes at most one share more.
  ///
  /// Writing them takes less than a millisecond.
  private static let bytesPerTurn = 16 * OutboundBytes.share

  /// The maximum number of connections that are written to before a response is sent.
  private static let earlyConnections = 8

  let loop: StreamLoop
  let openStreams: ActivityCount
  let ledger: Ledger
  /// The unsent bytes of each client.
  let unsent = ClientBytes()
  var pace: HeartbeatPace
  let linger: Int64
  /// The time that a full socket may accept no byte; 0 is no limit.
  let stall: Int64
  let liveness: LivenessCheck

  var slots: [StreamSlot] = []
  var freeSlots: [Int] = []
  var memberships = MembershipTable()

  /// Streams by the time of their last write.
  var silence = RecencyList()

  /// Streams by the time of their last liveness check.
  var unchecked = RecencyList()

  /// Connections whose socket is full, by the time since which it has accepted no byte.
  var stalled = RecencyList()

  /// The bytes that streams whose socket is full retain beside their output.
  var retained: [Int: Int] = [:]

  /// Ended connections by the time of their last write.
  var lingering = RecencyList()

  /// The connections with work.
  var queue = ConnectionTurns()

  /// The bytes that were written in this turn.
  var bytesWritten = 0

  /// The time, read once per turn.
  var now = Clock.milliseconds

  private var messages: [StreamLoop.Message] = []
  /// The groups that were already woken by the current batch of messages.
  private var wokenGroups: Set<ObjectIdentifier> = []
  private var isStopping = false

  init(loop: StreamLoop, settings: MicrohttpdServer.Settings, openStreams: ActivityCount) {
    self.loop = loop
    self.openStreams = openStreams
    ledger = settings.ledger
    pace = HeartbeatPace(interval: settings.heartbeat.milliseconds)
    linger = settings.linger.milliseconds
    stall = settings.timeouts.stall.milliseconds
    liveness = LivenessCheck(heartbeat: settings.heartbeat.milliseconds)
  }

  /// Serves connections until the loop is stopped, on a thread of its own.
  func serve() {
    while true {
      takeTurn(atMost: 512)
      if isStopping { break }
      handleEvents(waiting: millisecondsToSleep())
    }
    endAll()
  }

  /// Receives messages, serves up to `connections` of the connections with work, and serves the
  /// timers.
  func takeTurn(atMost connections: Int) {
    receiveMessages()
    serveQueue(atMost: connections)
    bytesWritten = 0
    serveTimers()
  }

  /// Writes the events that a request caused, before its response is sent; otherwise each would wait
  /// for all responses of the turn.
  ///
  /// Limited to a few connections, so that the response is delayed by microseconds only. The other
  /// connections of a broadcast, and a connection that was written to in this millisecond, are served
  /// at the end of the turn, so that several events are sent together.
  ///
  /// - Parameter time: The present time: a request can have blocked the thread since the turn began.
  func takeEarlyTurn(at time: @autoclosure () -> Int64 = Clock.milliseconds) {
    guard silence.count > 0, queue.isEmpty else { return }
    receiveMessages()
    guard !queue.isEmpty else { return }
    now = time()
    for _ in 0..<Self.earlyConnections {
      guard let first = queue.first, silence.time(of: first) != now else { return }
      serveQueue(atMost: 1)
    }
  }

  private func receiveMessages() {
    loop.inbox.receive(into: &messages)
    guard !messages.isEmpty else { return }
    wokenGroups.removeAll(keepingCapacity: true)
    for message in messages {
      switch message {
      case .connection(let handOff): open(handOff)
      case .wake(let group): wake(group)
      case .end(let group): end(group)
      case .pollAll: wakeAll()
      case .call(let function): function()
      case .stop: isStopping = true
      }
    }
  }

  /// Returns the time until the next turn is due: 0 if there is work, -1 without a limit.
  ///
  /// Requests a wake for the next message, unless the inbox has messages.
  func millisecondsToSleep() -> Int32 {
    !queue.isEmpty || !loop.inbox.prepareToSleep() ? 0 : millisecondsUntilTimer()
  }

  /// Waits for events of the connections, and handles them.
  func handleEvents(waiting milliseconds: Int32) {
    loop.poller.wait(milliseconds: milliseconds) { event in handle(event) }
    now = Clock.milliseconds
  }

  /// Receives the last messages, and closes all connections.
  func finish() {
    takeTurn(atMost: 0)
    endAll()
  }

  /// Appends a connection to the queue, unless it is already queued.
  func enqueue(_ index: Int) { queue.append(index, of: slots[index].client) }

  private func wake(_ group: StreamGroup) {
    guard wokenGroups.insert(ObjectIdentifier(group)).inserted else { return }
    memberships.forEach(in: group) { index in wake(index) }
  }

  private func end(_ group: StreamGroup) {
    var members: [Int] = []
    memberships.forEach(in: group) { members.append($0) }
    for index in members { close(index) }
  }

  private func wakeAll() {
    for index in slots.indices where slots[index].socket != nil { wake(index) }
  }

  private func wake(_ index: Int) {
    slots[index].connection.wake()
    // A connection whose socket is full is enqueued when the socket is writable.
    if slots[index].connection.step != .rest { enqueue(index) }
  }

  private func serveQueue(atMost connections: Int) {
    if ledger.mustRelease(.events) { closeLargest() }
    var turns = connections
    while turns > 0, bytesWritten < Self.bytesPerTurn, let index = queue.removeFirst() {
      turns -= 1
      serve(index)
    }
  }

  private func handle(_ event: Poller.Event) {
    guard event.token != Self.wakerToken else { return loop.waker.clear() }
    let index = Int(event.token & 0xFFFF_FFFF)
    guard slots.indices.contains(index), slots[index].socket != nil,
      slots[index].generation == UInt16(truncatingIfNeeded: event.token >> 32)
    else { return }
    if event.isBroken { return close(index) }
    if event.isWritable, slots[index].connection.unblock() { enqueue(index) }
    if event.isReadable {
      slots[index].hasInput = true
      enqueue(index)
    }
  }
}
