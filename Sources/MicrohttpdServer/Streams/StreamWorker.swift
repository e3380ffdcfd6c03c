internal import ReactorHTTP

/// The work of a `StreamLoop`: all its connections, and the one place where they are touched.
///
/// It is confined to one thread, its own or a request worker's, and therefore neither locked nor
/// sendable.
final class StreamWorker {
  /// The token that stands for the bell; slots never get this far.
  static let bellToken = UInt64.max

  /// How many connections an answer waits for at most.
  private static let earlyConnections = 8

  let loop: StreamLoop
  let settings: MicrohttpdServer.Settings
  let openStreams: ActivityCount
  var pace: HeartbeatPace
  let linger: Int64

  var slots: [StreamSlot] = []
  var freeSlots: [Int] = []
  var memberships = MembershipTable()

  /// Streams by when they were last sent something.
  var silence = RecencyList()

  /// Ended connections by when they last took something.
  var lingering = RecencyList()

  /// Connections with work, first come first served; `queueStart` is the first one.
  var queue: [Int] = []
  var queueStart = 0

  /// The clock, read once a turn.
  var now = Clock.milliseconds

  private var inbox = StreamInbox()

  init(loop: StreamLoop, settings: MicrohttpdServer.Settings, openStreams: ActivityCount) {
    self.loop = loop
    self.settings = settings
    self.openStreams = openStreams
    pace = HeartbeatPace(interval: settings.heartbeat.milliseconds)
    linger = settings.linger.milliseconds
  }

  /// Runs until the loop is stopped: the thread of a loop that has one.
  func run() {
    while true {
      takeTurn(atMost: 512)
      if inbox.stops { break }
      takeEvents(waiting: millisecondsToWait())
    }
    endAll()
  }

  /// Does what there is to do, for so many connections of those that have something.
  func takeTurn(atMost connections: Int) {
    takeInbox()
    serveQueue(atMost: connections)
    serveTimers()
  }

  /// Does what a request has brought, before its answer is sent, for so few connections that this waits
  /// for some microseconds; in the other order each of them would wait for all answers of the turn.
  ///
  /// A connection that has been written to since the clock was read waits for the turn, so that what
  /// comes until then leaves together; and so does a broadcast.
  func takeEarlyTurn() {
    guard silence.count > 0, queueStart == queue.count else { return }
    takeInbox()
    for _ in 0..<Self.earlyConnections {
      guard queueStart < queue.count, silence.time(of: queue[queueStart]) != now else { return }
      serveQueue(atMost: 1)
    }
  }

  private func takeInbox() {
    loop.takeInbox(into: &inbox)
    for arrival in inbox.arrivals { open(arrival) }
    if inbox.asksAll { wakeAll() }
    for group in inbox.groups { wake(group) }
  }

  /// How long the thread may wait before the next turn: 0 where there is work, -1 for as long as
  /// nothing happens.
  ///
  /// From here on whoever brings work rings.
  func millisecondsToWait() -> Int32 {
    queueStart < queue.count || !loop.fallAsleep() ? 0 : millisecondsUntilTimer()
  }

  /// Takes what the kernel has to tell of the connections, waiting for it if need be.
  func takeEvents(waiting milliseconds: Int32) {
    loop.poller.wait(milliseconds: milliseconds) { event in handle(event) }
    now = Clock.milliseconds
  }

  /// Takes what arrived last, and ends every connection.
  func finish() {
    takeTurn(atMost: 0)
    endAll()
  }

  /// Puts a connection at the end of the queue, unless it stands there.
  func enqueue(_ index: Int) {
    guard !slots[index].isQueued else { return }
    slots[index].isQueued = true
    queue.append(index)
  }

  private func wake(_ group: StreamGroup) {
    memberships.forEach(in: group) { index in wake(index) }
  }

  private func wakeAll() {
    for index in slots.indices where slots[index].socket != nil { wake(index) }
  }

  private func wake(_ index: Int) {
    slots[index].connection.wake()
    // Who has no room is not queued: it will ask when it has.
    if slots[index].connection.step != .rest { enqueue(index) }
  }

  /// Serves the head of the queue, not all of it: news and events must not wait for a broadcast
  /// to thousands.
  private func serveQueue(atMost connections: Int) {
    var turns = connections
    while turns > 0, queueStart < queue.count {
      let index = queue[queueStart]
      queueStart += 1
      turns -= 1
      slots[index].isQueued = false
      serve(index)
    }
    if queueStart == queue.count {
      queue.removeAll(keepingCapacity: true)
      queueStart = 0
    } else if queueStart >= 4096 {
      queue.removeFirst(queueStart)
      queueStart = 0
    }
  }

  private func handle(_ event: Poller.Event) {
    guard event.token != Self.bellToken else { return loop.clearBell() }
    let index = Int(event.token & 0xFFFF_FFFF)
    guard slots.indices.contains(index), slots[index].socket != nil,
      slots[index].generation == UInt32(truncatingIfNeeded: event.token >> 32)
    else { return }
    if event.isBroken { return close(index) }
    if event.isWritable, slots[index].connection.unblock() { enqueue(index) }
    if event.isReadable {
      slots[index].hasInput = true
      enqueue(index)
    }
  }
}
