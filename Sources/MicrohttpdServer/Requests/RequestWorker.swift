internal import Glibc
internal import ReactorHTTP

/// The thread of a `RequestLoop`: a daemon of libmicrohttpd's, its connections, and the one place
/// where both are touched.
///
/// It waits in `epoll` for the daemon's descriptor, the listening sockets and the bell; then it
/// accepts, resumes whoever has an answer, runs the daemon, whose callbacks come back here, and
/// closes whoever took too long. Where streams have no thread of their own, it gives them a turn
/// after that. It is confined to its thread and therefore neither locked nor sendable.
final class RequestWorker {
  /// The token that stands for the bell.
  static let bellToken = UInt64.max
  private static let daemonToken = UInt64.max - 1
  private static let streamsToken = UInt64.max - 2

  /// How many streams are written between two looks at the requests, by a thread that does both: what
  /// acts while a broadcast is under way joins it.
  private static let streamsBesideRequests = 64

  let loop: RequestLoop
  let core: ServerCore

  /// `nil` only while the worker is made and after its end.
  var daemon: Daemon?

  // What every request comes by is not checked for exclusive access at run time, which was 1 % of one.
  // Proof: each of these calls touches that variable alone and calls nobody, on the one thread.
  @safe @exclusivity(unchecked) var slots: [ConnectionSlot] = []
  var freeSlots: [Int] = []
  @safe @exclusivity(unchecked) var deadlines: ConnectionDeadlines

  /// The clock, read once a turn.
  var now = Clock.milliseconds

  /// Whose connection libmicrohttpd is being given; `nil` once it has taken it.
  var arriving: (peer: ClientAddress?, permit: ConnectionPermit?)?

  /// Requests that were answered since the worker last waited.
  @safe @exclusivity(unchecked) var answered = 0

  /// How many exchanges libmicrohttpd asks for their answers whenever it runs.
  @safe @exclusivity(unchecked) var waiting = 0

  /// How many answers it has that are not sent to the end.
  @safe @exclusivity(unchecked) var sending = 0

  /// An answer that is not there at once ends in a refusal: the server is about to stop.
  var abandonsWaiting = false

  /// Where connections are accepted.
  var listeners: [ListeningSocket]

  /// The listening sockets that somebody waits at.
  var readyListeners: Set<Int> = []

  /// Whether new connections are watched for.
  var isAccepting = false

  /// When to try to accept again after the system had no descriptors left.
  var acceptsAgain: Int64?

  private var inbox = RequestInbox()

  /// Streams that are written by this thread.
  let streams: StreamWorker?

  /// Whether the kernel has something to tell of them.
  private var streamsHaveEvents = false

  init(
    loop: RequestLoop, core: ServerCore, listeners: [ListeningSocket], streams: StreamLoop?
  ) throws(ServerError) {
    self.loop = loop
    self.core = core
    self.listeners = listeners
    self.streams = streams?.makeWorker()
    let settings = core.settings
    deadlines = ConnectionDeadlines { phase in
      switch phase {
      case .opened: settings.timeouts.firstHead.milliseconds
      case .idle: settings.timeouts.idle.milliseconds
      case .receivingHead: settings.timeouts.head.milliseconds
      case .receiving, .sending: settings.timeouts.body.milliseconds
      case .responding: 0
      }
    }
    // Not retained: the daemon ends with its worker.
    let daemon = unsafe try Daemon(
      settings: settings, context: Unmanaged.passUnretained(self).toOpaque())
    let isWatched =
      loop.poller.addReadable(daemon.descriptor, token: Self.daemonToken)
      && streams.map { loop.poller.addReadable($0.poller, token: Self.streamsToken) } ?? true
    self.daemon = consume daemon
    startAccepting()
    guard isWatched, isAccepting else {
      throw ServerError(.noResources, "The system watches no more descriptors.")
    }
  }

  deinit { daemon.take()?.stop() }

  /// Runs until the loop is stopped.
  func run() {
    while true {
      loop.takeInbox(into: &inbox)
      for exchange in inbox.answered { resume(exchange) }
      if inbox.leavesInherited { leaveInheritedSockets() }
      if inbox.abandonsWaiting { abandonAll() }
      if inbox.stops { break }
      if !readyListeners.isEmpty { acceptConnections() }
      daemon?.run()
      closeOverdue()
      startAccepting()
      streams?.takeTurn(atMost: Self.streamsBesideRequests)
      waitForEvents()
    }
    abandonAll()
    stopAccepting()
    daemon.take()?.stop()
    streams?.finish()
  }

  private func waitForEvents() {
    // Under load there is more to do for certain, and asking twice whether there is costs a system
    // call. Now and then it is asked nevertheless: others wait to be accepted.
    if answered > 1, turnsWithoutWaiting < 16 {
      turnsWithoutWaiting += 1
      answered = 0
      return
    }
    answered = 0
    turnsWithoutWaiting = 0
    // Whoever waits for an answer is work in libmicrohttpd's eyes, and would keep the thread awake.
    let daemonHasWork = (waiting == 0 || sending > 0) && daemon?.hasWork == true
    let hasWork = daemonHasWork || !readyListeners.isEmpty || !loop.fallAsleep()
    let streamsWait = streams?.millisecondsToWait() ?? -1
    var timeout = hasWork ? 0 : millisecondsUntilTimer()
    // What else libmicrohttpd may have to do is a head that fills its buffer to the byte.
    if waiting > 0 { timeout = Self.earlier(timeout, 1) }
    loop.poller.wait(milliseconds: Self.earlier(timeout, streamsWait)) { event in
      switch event.token {
      case Self.daemonToken: break
      case Self.bellToken: loop.clearBell()
      case Self.streamsToken: streamsHaveEvents = true
      default: readyListeners.insert(Int(clamping: event.token))
      }
    }
    now = Clock.milliseconds
    guard let streams else { return }
    streams.loop.wakeUp()
    streams.now = now
    if streamsHaveEvents { streams.takeEvents(waiting: 0) }
    streamsHaveEvents = false
  }

  /// The shorter one of two times, where -1 is for ever.
  private static func earlier(_ one: Int32, _ other: Int32) -> Int32 {
    one < 0 ? other : other < 0 ? one : min(one, other)
  }

  private var turnsWithoutWaiting = 0

  private func millisecondsUntilTimer() -> Int32 {
    var next = deadlines.next ?? .max
    if let acceptsAgain { next = min(next, acceptsAgain) }
    return next == .max ? -1 : Int32(clamping: max(0, next - now))
  }
}
