internal import Glibc
internal import ReactorTransport
internal import SystemThreads

/// The thread of a `RequestLoop`: a libmicrohttpd daemon and its connections.
///
/// It sleeps in `epoll` until the daemon, a listening socket or the waker is ready. Then it accepts
/// connections, resumes those whose responses are ready, runs the daemon, whose callbacks call back
/// into this object, and closes connections that are overdue. If streams have no thread of their own,
/// it serves them as well. Confined to its thread, and therefore neither locked nor `Sendable`.
final class RequestWorker {
  /// The poller token of the waker.
  static let wakerToken = UInt64.max
  private static let daemonToken = UInt64.max - 1
  private static let streamsToken = UInt64.max - 2

  /// The number of streams that are served per turn by a thread that also serves requests.
  ///
  /// It is small, so that the thread serves requests during a broadcast. Their events are sent
  /// together with the broadcast to the streams that are still in the queue.
  private static let streamsPerTurn = 64

  let loop: RequestLoop
  let core: ServerCore

  /// The daemon, or `nil` during initialization and after the end.
  var daemon: Daemon?

  // Every request accesses these; the runtime checks of exclusive access took 1 % of it.
  // Proof: each access touches that variable alone and calls no other code, on one thread.
  @safe @exclusivity(unchecked) var slots: [ConnectionSlot] = []
  var freeSlots: [Int] = []
  /// The index of each connection by its descriptor; -1 for other descriptors.
  @safe @exclusivity(unchecked) var slotOfSocket: [Int32] = []
  @safe @exclusivity(unchecked) var deadlines: ConnectionDeadlines

  /// Limits how often one client is read in a turn.
  @safe @exclusivity(unchecked) var budget = TurnBudget()

  /// Limits how many bytes are written in a turn.
  @safe @exclusivity(unchecked) var writes = WriteBudget()

  /// The epoll descriptor of the daemon.
  private(set) var daemonDescriptor: Int32 = -1

  /// The time, read once per turn.
  var now = Clock.milliseconds

  /// The connection that is being added to libmicrohttpd, or `nil` once it was opened.
  var arriving: (peer: ClientAddress?, place: Admission.Place, isReserved: Bool)?

  /// The number of responses since the thread last slept.
  @safe @exclusivity(unchecked) var responses = 0

  /// The number of exchanges that libmicrohttpd polls for a response.
  @safe @exclusivity(unchecked) var waiting = 0

  /// The number of responses that libmicrohttpd is sending.
  @safe @exclusivity(unchecked) var sending = 0

  /// The bodies of the responses that libmicrohttpd is sending.
  var bodies: SentBodies

  /// Whether a request without an immediate response is rejected, because the server stops.
  var rejectsWaiting = false

  /// The sockets to accept from.
  var listeners: [ListeningSocket]

  /// The indices of listening sockets with connections to accept.
  var readyListeners: Set<Int> = []

  /// Whether the poller watches the listening sockets.
  var isAccepting = false

  /// The number of idle connections that were shut down to make room and that libmicrohttpd has not
  /// closed yet.
  var closingIdle = 0

  /// When to accept again after the process had no descriptors left.
  var acceptsAgain: Int64?

  /// The worker of streams without a thread of their own.
  let streams: StreamWorker?

  private var streamsAreReady = false
  private var turnsWithoutSleep = 0
  private var isStopping = false
  private var messages: [RequestLoop.Message] = []

  init(
    loop: RequestLoop, core: ServerCore, listeners: [ListeningSocket], streams: StreamLoop?
  ) throws(ServerError) {
    self.loop = loop
    self.core = core
    self.listeners = listeners
    self.streams = streams?.makeWorker()
    let settings = core.settings
    bodies = SentBodies(settings.ledger, core.sentBytes)
    deadlines = ConnectionDeadlines { phase in
      switch phase {
      case .opened: settings.timeouts.firstHead.milliseconds
      case .idle: settings.timeouts.idle.milliseconds
      case .receivingHead: settings.timeouts.head.milliseconds
      case .receiving, .sending: settings.timeouts.body.milliseconds
      case .responding: 0
      }
    }
    // The worker is not retained: its daemon ends before it.
    let daemon = unsafe try Daemon(
      settings: settings, context: Unmanaged.passUnretained(self).toOpaque())
    daemonDescriptor = daemon.descriptor
    let isWatched =
      loop.poller.addReadable(daemon.descriptor, token: Self.daemonToken)
      && streams.map { loop.poller.addReadable($0.poller, token: Self.streamsToken) } ?? true
    self.daemon = consume daemon
    startAccepting()
    guard isWatched, isAccepting else { throw .noDescriptors }
  }

  deinit { daemon.take()?.stop() }

  /// Serves connections until the loop is stopped.
  func serve() {
    while true {
      receiveMessages()
      if isStopping { break }
      if !readyListeners.isEmpty { acceptConnections() }
      beginTurn()
      daemon?.processReady()
      closeOverdue()
      closeLargestResponses()
      startAccepting()
      streams?.takeTurn(atMost: Self.streamsPerTurn)
      sleep()
    }
    rejectAllWaiting()
    stopAccepting()
    daemon.take()?.stop()
    streams?.finish()
  }

  private func receiveMessages() {
    loop.inbox.receive(into: &messages)
    for message in messages {
      switch message {
      case .responded(let exchange): resume(exchange)
      case .roomAvailable: break  // Every turn starts accepting if there is room.
      case .closeIdle: _ = closeIdlest()
      case .closeLargest: break  // Every turn closes connections beyond the bound of bytes.
      case .leaveInheritedSockets: leaveInheritedSockets()
      case .rejectWaiting: rejectAllWaiting()
      case .call(let function): function()
      case .stop: isStopping = true
      }
    }
  }

  /// Sleeps until there is work, or a timer is due.
  private func sleep() {
    // Under load the next turn has work, and polling for it costs a system call: skip up to 16
    // polls in a row. New connections are only accepted after a poll.
    if responses > 1, turnsWithoutSleep < 16 {
      turnsWithoutSleep += 1
      responses = 0
      return
    }
    responses = 0
    turnsWithoutSleep = 0
    // libmicrohttpd counts connections that wait for a response as work. While there are any, its
    // report is ignored unless responses are being sent.
    let daemonHasWork = (waiting == 0 || sending > 0) && daemon?.hasWork == true
    let hasWork =
      daemonHasWork || budget.isWaiting || writes.isWaiting || !readyListeners.isEmpty
      || !loop.inbox.prepareToSleep()
    let streamsTimeout = streams?.millisecondsToSleep() ?? -1
    var timeout = hasWork ? 0 : millisecondsUntilTimer()
    // Poll again after 1 ms. This also covers the only other work that `hasWork` reports: a head
    // that fills its buffer to the byte.
    if waiting > 0 { timeout = Self.earlier(timeout, 1) }
    loop.poller.wait(milliseconds: Self.earlier(timeout, streamsTimeout)) { event in
      switch event.token {
      case Self.daemonToken: break
      case Self.wakerToken: loop.waker.clear()
      case Self.streamsToken: streamsAreReady = true
      default: readyListeners.insert(Int(clamping: event.token))
      }
    }
    now = Clock.milliseconds
    guard let streams else { return }
    streams.loop.inbox.cancelSleep()
    streams.now = now
    if streamsAreReady { streams.handleEvents(waiting: 0) }
    streamsAreReady = false
  }

  /// Returns the shorter of two timeouts; -1 is no timeout.
  private static func earlier(_ one: Int32, _ other: Int32) -> Int32 {
    one < 0 ? other : other < 0 ? one : min(one, other)
  }

  private func millisecondsUntilTimer() -> Int32 {
    var next = deadlines.next ?? .max
    if let acceptsAgain { next = min(next, acceptsAgain) }
    return next == .max ? -1 : Int32(clamping: max(0, next - now))
  }
}
