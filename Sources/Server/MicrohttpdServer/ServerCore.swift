internal import ReactorTransport
internal import Shares
internal import Synchronization
internal import SystemThreads

/// The state that the threads of a running server share.
final class ServerCore: Sendable {
  let settings: MicrohttpdServer.Settings
  let responder: any HTTPResponder

  /// Requests between the responder and the completed callback.
  let inFlight: ActivityCount

  /// Limits the connections per client.
  let admission: Admission

  /// The number of connections for requests that were closed because their clients were too slow.
  let overdue = Atomic<Int>(0)

  private let rejected = Atomic<Int>(0)
  private let requestLoops: [RequestLoop]
  private let streamLoops: [StreamLoop]
  private let openStreams: ActivityCount
  /// The bytes of the responses of each client that are being sent.
  let sentBytes = ClientBytes()
  private let nextLoop = Atomic<Int>(0)
  private let connections = Atomic<Int>(0)
  private let isFull = Atomic<Bool>(false)
  private let stopping = Atomic<Bool>(false)

  init(
    settings: MicrohttpdServer.Settings, responder: any HTTPResponder
  ) throws(ServerError) {
    self.settings = settings
    self.responder = responder
    admission = Admission(settings: settings)
    guard let inFlight = ActivityCount(), let openStreams = ActivityCount() else {
      throw .noDescriptors
    }
    self.inFlight = inFlight
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

  /// Whether the server drains, so that each response closes its connection.
  var isStopping: Bool { stopping.load(ordering: .relaxed) }

  var statistics: ServerStatistics {
    ServerStatistics(
      connections: connections.load(ordering: .relaxed), requestsInFlight: inFlight.current,
      streams: openStreams.current, rejected: rejected.load(ordering: .relaxed),
      overdue: streamLoops.reduce(overdue.load(ordering: .relaxed)) {
        $0 + $1.overdue.load(ordering: .relaxed)
      })
  }

  /// Whether a connection may be waiting in the kernel because the server was full.
  var hasRejectedConnection: Bool { isFull.load(ordering: .relaxed) }

  /// Whether another connection may be opened.
  var hasRoom: Bool {
    connections.load(ordering: .sequentiallyConsistent)
      < settings.limits.connections + settings.limits.reserved
  }

  /// The permission to accept a connection.
  enum Reservation {
    /// One of `Limits.connections`.
    case regular
    /// One of `Limits.reserved`.
    case reserved
    /// The server is full; the request loops are notified when it no longer is.
    case none
  }

  /// Functions that call a function on a thread, with the names of the threads.
  var threads: [MicrohttpdServer.ThreadCaller] {
    requestLoops.enumerated().map { index, loop in
      (name: "requests \(index + 1)", call: { loop.inbox.send(.call($0)) })
    }
      + streamLoops.enumerated().map { index, loop in
        (name: "streams \(index + 1)", call: { loop.inbox.send(.call($0)) })
      }
  }

  /// Counts a connection that is about to be accepted.
  func reserveConnection() -> Reservation {
    let limits = settings.limits
    var count = connections.load(ordering: .sequentiallyConsistent)
    while count < limits.connections + limits.reserved {
      let (isExchanged, current) = connections.compareExchange(
        expected: count, desired: count + 1, ordering: .sequentiallyConsistent)
      if isExchanged { return count < limits.connections ? .regular : .reserved }
      count = current
    }
    isFull.store(true, ordering: .sequentiallyConsistent)
    return .none
  }

  /// Requests each of the other request loops to close an idle connection.
  func closeIdle(except loop: RequestLoop) {
    for other in requestLoops where other !== loop { other.inbox.send(.closeIdle) }
  }

  /// Requests each of the other request loops to close connections of the client with the most bytes of responses.
  func closeLargest(except loop: RequestLoop) {
    for other in requestLoops where other !== loop { other.inbox.send(.closeLargest) }
  }

  /// Counts bytes of a request body for a client; `nil` is none.
  ///
  /// - Returns: Whether they are within the client's share; if not, they are not counted.
  func buffer(_ count: Int, for account: Account?) -> Bool {
    // Each client gets one body, as long as there is room.
    settings.ledger.acquire(
      .bodies, count, of: settings.limits.buffered, first: settings.limits.body, for: account)
  }

  /// Releases the bytes of a request body.
  func releaseBuffer(_ count: Int, of account: Account?) {
    guard count > 0 else { return }
    settings.ledger.release(.bodies, count, of: account)
  }

  /// Reserves a place for a stream; returns whether the client's share permits it.
  func acquireStream(for account: Account?) -> Bool {
    settings.ledger.acquire(.streams, of: settings.limits.streams, for: account)
  }

  /// Returns the place of a stream.
  func releaseStream(of account: Account?) {
    settings.ledger.release(.streams, of: account)
  }

  /// Counts a connection that was closed or not accepted.
  func releaseConnection() {
    connections.subtract(1, ordering: .sequentiallyConsistent)
    guard isFull.load(ordering: .sequentiallyConsistent),
      isFull.exchange(false, ordering: .sequentiallyConsistent)
    else { return }
    for loop in requestLoops { loop.inbox.send(.roomAvailable) }
  }

  /// Responds to a client that has its share of the connections, and closes this one.
  func reject(_ socket: consuming AcceptedSocket, for reason: HTTPRejection) {
    rejected.add(1, ordering: .relaxed)
    let response = responder.rejection(for: reason, of: nil)
    adopt(HandOff(socket: socket.descriptor, rejection: response, isHead: false))
  }

  /// Moves a connection to one of the stream loops, in turn.
  func adopt(_ handOff: HandOff) {
    let turn = nextLoop.wrappingAdd(1, ordering: .relaxed).oldValue
    streamLoops[Int(UInt(bitPattern: turn) % UInt(streamLoops.count))].adopt(handOff)
  }

  /// Begins to drain: each response closes its connection, and the request loops stop accepting
  /// from inherited sockets.
  func beginToStop() {
    stopping.store(true, ordering: .relaxed)
    for loop in requestLoops { loop.inbox.send(.leaveInheritedSockets) }
  }

  /// Starts the threads; the threads that accept connections are started last.
  func start(listeningOn listeners: [ListeningSocket]) throws(ServerError) {
    let isShared = settings.loops == 0
    if !isShared {
      for loop in streamLoops { try loop.start() }
    }
    for (index, loop) in requestLoops.enumerated() {
      try loop.start(self, listeners, with: isShared && index == 0 ? streamLoops[0] : nil)
    }
  }

  /// Polls every stream, and blocks until none is open or the deadline has passed.
  func finishStreams(deadline: Int64) -> Bool {
    for loop in streamLoops { loop.inbox.send(.pollAll) }
    return openStreams.waitUntilIdle(deadline: deadline)
  }

  /// Blocks until no request waits for its response; rejects those that still wait at the deadline.
  func finishRequests(deadline: Int64) {
    beginToStop()
    // Reserve the last tenth of the time, at most 250 ms, for sending the rejections.
    let reserve = min(250, max(0, deadline - Clock.milliseconds) / 10)
    guard !inFlight.waitUntilIdle(deadline: deadline - reserve) else { return }
    for loop in requestLoops { loop.inbox.send(.rejectWaiting) }
    _ = inFlight.waitUntilIdle(deadline: deadline)
  }

  /// Closes all connections and blocks until all threads have ended.
  func stop() {
    // Stop the first loop last: the others can hand off connections to the stream loop that it
    // serves.
    for loop in requestLoops.reversed() { loop.stop() }
    for loop in streamLoops { loop.stop() }
  }
}
