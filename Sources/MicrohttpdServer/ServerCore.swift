internal import ReactorHTTP
internal import Synchronization

/// What the callbacks of a running server share.
final class ServerCore: Sendable {
  let settings: MicrohttpdServer.Settings
  let responder: any HTTPResponder

  /// Requests between the responder and the completed callback.
  let inFlight: ActivityCount

  /// Requests whose connections are suspended.
  let suspended: SuspendedExchanges

  private let loops: [StreamLoop]
  private let openStreams: ActivityCount
  private let nextLoop = Atomic<Int>(0)
  private let connections = Atomic<Int>(0)
  private let stopping = Atomic<Bool>(false)

  init(
    settings: MicrohttpdServer.Settings, responder: any HTTPResponder
  ) throws(ServerError) {
    self.settings = settings
    self.responder = responder
    inFlight = try ActivityCount()
    suspended = try SuspendedExchanges()
    let openStreams = try ActivityCount()
    self.openStreams = openStreams
    var loops: [StreamLoop] = []
    for _ in 0..<max(1, settings.loops) {
      loops.append(try StreamLoop(settings: settings, openStreams: openStreams))
    }
    self.loops = loops
  }

  /// Whether answers should also end their connections.
  var isStopping: Bool { stopping.load(ordering: .relaxed) }

  var statistics: ServerStatistics {
    ServerStatistics(
      connections: connections.load(ordering: .relaxed), requestsInFlight: inFlight.current,
      streams: openStreams.current)
  }

  func connectionOpened() { connections.add(1, ordering: .relaxed) }

  func connectionClosed() { connections.subtract(1, ordering: .relaxed) }

  /// Gives a connection to one of the loops, in turn.
  func adopt(_ handOff: HandOff) {
    let turn = nextLoop.wrappingAdd(1, ordering: .relaxed).oldValue
    loops[Int(UInt(bitPattern: turn) % UInt(loops.count))].adopt(handOff)
  }

  /// Starts the threads of the loops.
  func startLoops() throws(ServerError) {
    for loop in loops { try loop.start() }
  }

  /// Asks every stream again, and blocks until none is open or until the deadline.
  func finishStreams(deadline: Int64) -> Bool {
    for loop in loops { loop.askAll() }
    return openStreams.waitUntilIdle(deadline: deadline)
  }

  /// Blocks until no request waits for its answer, at most until the deadline; then answers for
  /// whoever still waits.
  ///
  /// Afterwards no connection is suspended, nor will one be.
  func finishRequests(deadline: Int64) {
    stopping.store(true, ordering: .relaxed)
    // The last tenth is for writing the answers of those who did not finish.
    let reserve = min(250, max(0, deadline - Clock.milliseconds) / 10)
    if !inFlight.waitUntilIdle(deadline: deadline - reserve) {
      for exchange in suspended.close() { exchange.abandon() }
      _ = inFlight.waitUntilIdle(deadline: deadline)
    }
    for exchange in suspended.close() { exchange.abandon() }
    suspended.waitUntilEmpty()
  }

  /// Ends what is still open and blocks until the threads of the loops have ended.
  func stopLoops() {
    for loop in loops { loop.stop() }
  }
}
