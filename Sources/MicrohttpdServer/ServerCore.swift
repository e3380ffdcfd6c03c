internal import ReactorHTTP
internal import Synchronization

/// What the callbacks of a running server share.
final class ServerCore: Sendable {
  let settings: MicrohttpdServer.Settings
  let responder: any HTTPResponder

  /// Requests between the responder and the completed callback.
  let inFlight: ActivityCount

  /// Who may have one more connection.
  let admission: Admission

  /// Connections that were closed because their clients took too long.
  let overdue = Atomic<Int>(0)

  private let refused = Atomic<Int>(0)
  private let requestLoops: [RequestLoop]
  private let streamLoops: [StreamLoop]
  private let openStreams: ActivityCount
  private let nextLoop = Atomic<Int>(0)
  private let connections = Atomic<Int>(0)
  private let isFull = Atomic<Bool>(false)
  private let stopping = Atomic<Bool>(false)

  init(
    settings: MicrohttpdServer.Settings, responder: any HTTPResponder
  ) throws(ServerError) {
    self.settings = settings
    self.responder = responder
    admission = Admission(limits: settings.limits)
    inFlight = try ActivityCount()
    let openStreams = try ActivityCount()
    self.openStreams = openStreams
    var streamLoops: [StreamLoop] = []
    for _ in 0..<max(1, settings.loops) {
      streamLoops.append(try StreamLoop(settings: settings, openStreams: openStreams))
    }
    self.streamLoops = streamLoops
    var requestLoops: [RequestLoop] = []
    for _ in 0..<max(1, settings.workers) { requestLoops.append(try RequestLoop()) }
    self.requestLoops = requestLoops
  }

  /// Whether answers should also end their connections.
  var isStopping: Bool { stopping.load(ordering: .relaxed) }

  var statistics: ServerStatistics {
    ServerStatistics(
      connections: connections.load(ordering: .relaxed), requestsInFlight: inFlight.current,
      streams: openStreams.current, refused: refused.load(ordering: .relaxed),
      overdue: overdue.load(ordering: .relaxed))
  }

  /// Whether one more connection may be served.
  var hasRoom: Bool {
    connections.load(ordering: .sequentiallyConsistent) < settings.limits.connections
  }

  /// Reserves the place of a connection; false when all are taken.
  ///
  /// Whoever gets none is told when there is room again.
  func takeRoom() -> Bool {
    var count = connections.load(ordering: .sequentiallyConsistent)
    while count < settings.limits.connections {
      let (isTaken, current) = connections.compareExchange(
        expected: count, desired: count + 1, ordering: .sequentiallyConsistent)
      if isTaken { return true }
      count = current
    }
    isFull.store(true, ordering: .sequentiallyConsistent)
    return false
  }

  /// A connection was closed, or never came.
  func giveRoomBack() {
    connections.subtract(1, ordering: .sequentiallyConsistent)
    guard isFull.load(ordering: .sequentiallyConsistent),
      isFull.exchange(false, ordering: .sequentiallyConsistent)
    else { return }
    for loop in requestLoops { loop.tellRoom() }
  }

  /// Tells a client that it has too many connections, and closes this one.
  func refuse(_ socket: consuming AcceptedSocket) {
    refused.add(1, ordering: .relaxed)
    let limit = settings.limits.connectionsPerAddress
    let response = responder.refusal(of: .tooManyConnections(limit: limit), to: nil)
    adopt(HandOff(socket: socket.descriptor, refusal: response, isHead: false))
  }

  /// Gives a connection to one of the loops, in turn.
  func adopt(_ handOff: HandOff) {
    let turn = nextLoop.wrappingAdd(1, ordering: .relaxed).oldValue
    streamLoops[Int(UInt(bitPattern: turn) % UInt(streamLoops.count))].adopt(handOff)
  }

  /// Ends connections with their answers, and accepts no more where others do.
  func beginToStop() {
    stopping.store(true, ordering: .relaxed)
    for loop in requestLoops { loop.leaveInheritedSockets() }
  }

  /// Starts the threads, the ones that accept connections last.
  func start(listeningOn listeners: [ListeningSocket]) throws(ServerError) {
    let isShared = settings.loops == 0
    if !isShared {
      for loop in streamLoops { try loop.start() }
    }
    for (index, loop) in requestLoops.enumerated() {
      try loop.start(self, listeners, with: isShared && index == 0 ? streamLoops[0] : nil)
    }
  }

  /// Asks every stream again, and blocks until none is open or until the deadline.
  func finishStreams(deadline: Int64) -> Bool {
    for loop in streamLoops { loop.askAll() }
    return openStreams.waitUntilIdle(deadline: deadline)
  }

  /// Blocks until no request waits for its answer, at most until the deadline; then answers for
  /// whoever still waits.
  func finishRequests(deadline: Int64) {
    beginToStop()
    // The last tenth is for writing the answers of those who did not finish.
    let reserve = min(250, max(0, deadline - Clock.milliseconds) / 10)
    guard !inFlight.waitUntilIdle(deadline: deadline - reserve) else { return }
    for loop in requestLoops { loop.abandonWaiting() }
    _ = inFlight.waitUntilIdle(deadline: deadline)
  }

  /// Ends what is still open and blocks until all threads have ended.
  func stop() {
    // The first one last: the others may still hand connections over to the streams that it writes.
    for loop in requestLoops.reversed() { loop.stop() }
    for loop in streamLoops { loop.stop() }
  }
}
