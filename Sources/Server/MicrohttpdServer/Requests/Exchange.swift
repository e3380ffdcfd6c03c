internal import CMicrohttpd
internal import ReactorTransport
internal import Shares
internal import Synchronization
internal import SystemThreads

/// One request and its response.
///
/// Created when the request line is parsed; libmicrohttpd's connection retains it until the completed
/// callback, the responder until it has responded. Its methods run on the worker thread of its
/// connection, which is passed in; `respond(_:)` runs on any thread.
final class Exchange: Sendable {
  /// The progress of the request, as its worker sees it.
  private enum Progress: UInt8, AtomicRepresentable, Comparable {
    /// Before the end of the header fields.
    case opened
    /// Before the end of the body.
    case reading
    /// The responder has the request.
    case responding
    /// libmicrohttpd polls for the response whenever it runs.
    case waiting
    /// libmicrohttpd holds the connection until the response is ready.
    case suspended
    /// libmicrohttpd sends the response.
    case sending
    case ended

    static func < (one: Progress, other: Progress) -> Bool { one.rawValue < other.rawValue }
  }

  /// How often libmicrohttpd polls for the response before the connection is suspended.
  private static let pollLimit = 8

  /// The index of its connection in its worker's array.
  let slot: Int

  private let loop: RequestLoop
  private let connection: Connection
  private let state = Mutex(ResponseState())
  // Proof: only the worker's thread accesses it, and no method of the intake calls the exchange. A mutex
  // would be acquired six times per request.
  @safe @exclusivity(unchecked) private nonisolated(unsafe) var intake: RequestIntake
  // Only the worker's thread accesses these.
  private let progress = Atomic<Progress>(.opened)
  private let polls = Atomic<Int>(0)

  init(loop: RequestLoop, connection: Connection, target: RequestTarget) {
    self.loop = loop
    self.connection = connection
    intake = RequestIntake(target)
    slot = connection.slot
  }

  /// Whether the header fields were read.
  var hasBegun: Bool { progress.load(ordering: .relaxed) > .opened }

  /// Whether the responder has received the request.
  private var isDispatched: Bool { progress.load(ordering: .relaxed) > .reading }

  private func proceed(to next: Progress, on worker: RequestWorker) {
    let former = progress.load(ordering: .relaxed)
    progress.store(next, ordering: .relaxed)
    if former == .waiting { worker.waiting -= 1 }
    if former == .sending { worker.sending -= 1 }
    if next == .waiting { worker.waiting += 1 }
    if next == .sending { worker.sending += 1 }
  }

  // MARK: The request

  /// Begins the request when its header fields are complete; libmicrohttpd's first call.
  func begin(method: String, isHTTP10: Bool, on worker: RequestWorker) -> MHD_Result {
    proceed(to: .reading, on: worker)
    let core = worker.core
    if intake.isRepetition {
      guard intake.begin(method: method, isHTTP10: isHTTP10, repeating: worker.slots[slot].head)
      else { return .NO }
      unsafe connection.forEachHeader(into: &intake, DaemonCallbacks.field)
    } else {
      let former = worker.slots[slot].authorization
      intake.begin(method: method, isHTTP10: isHTTP10, formerAuthorization: former)
      unsafe connection.forEachHeader(into: &intake, DaemonCallbacks.field)
      worker.slots[slot].retainHead(of: &intake)
    }
    // Not in a local variable, which would copy the limits.
    let rejection = intake.rejection(headSize: connection.headSize, limits: core.settings.limits)
    if let rejection { return reject(rejection, of: takeRequest(on: worker), on: worker) }
    guard intake.expectsBody else { return .YES }
    worker.deadlines.enter(.receiving, slot)
    let head = takeRequest(on: worker)
    if !hasConnection(for: head, on: worker) {
      return reject(.noConnectionLeft, of: head, on: worker)
    }
    switch core.responder.admit(head) {
    case .accept(let token):
      intake.account = token?.account
      if worker.slots[slot].client == nil {
        worker.slots[slot].bodyClient = intake.account.map { TurnBudget.entry(of: $0.client) }
      }
      guard count(intake.account, on: worker) else {
        return reject(.tooManyConnections, of: head, on: worker)
      }
      intake.admit(head, token)
      return .YES
    case .reject(let response): return reject(with: response, on: worker)
    }
  }

  /// Receives a part of the body.
  func receive(_ bytes: UnsafeBufferPointer<UInt8>, on worker: RequestWorker) -> MHD_Result {
    let core = worker.core
    let account = intake.account ?? worker.slots[slot].place.account
    var rejection: RequestIntake.Rejection?
    if core.buffer(bytes.count, for: account) {
      rejection = unsafe intake.append(bytes, limits: core.settings.limits)
      if rejection != nil { core.releaseBuffer(bytes.count, of: account) }
    } else {
      rejection = .tooManyBufferedBytes
    }
    guard let rejection else { return .YES }
    return reject(rejection, of: takeRequest(on: worker), on: worker)
  }

  /// Dispatches the request when it is complete; in later calls, with which libmicrohttpd polls,
  /// sends the response if it is ready.
  func finish(on worker: RequestWorker) -> MHD_Result {
    guard isDispatched else { return dispatch(on: worker) }
    if worker.rejectsWaiting { rejectWaiting() }
    if let response = state.withLock({ $0.take() }) { return send(response, on: worker) }
    if polls.add(1, ordering: .relaxed).newValue == Self.pollLimit {
      proceed(to: .suspended, on: worker)
      worker.suspend(self, slot)
    }
    return .YES
  }

  private func dispatch(on worker: RequestWorker) -> MHD_Result {
    let request = takeRequest(on: worker)
    let responder = worker.core.responder
    if worker.slots[slot].place.account == nil, intake.account == nil {
      intake.account = responder.account(for: request)
    }
    if !hasConnection(for: request, on: worker) {
      return reject(.noConnectionLeft, of: request, on: worker)
    }
    // A request that a proxy has passed on has a place of its own.
    guard count(intake.account, on: worker) else {
      return reject(.tooManyConnections, of: request, on: worker)
    }
    proceed(to: .responding, on: worker)
    worker.core.inFlight.enter()
    let responseGuard = ResponseGuard(self)
    responder.respond(to: request) { responseGuard.respond($0) }
    if let response = state.withLock({ $0.take() }) { return send(response, on: worker) }
    return wait(on: worker)
  }

  /// Counts the request of a connection that is not counted, for the client of the request.
  ///
  /// - Returns: Whether the client's share permits it.
  private func count(_ account: Account?, on worker: RequestWorker) -> Bool {
    guard let account, !intake.isCounted, worker.slots[slot].place.account == nil else {
      return true
    }
    intake.isCounted = account.acquire(
      .connections, of: worker.core.settings.limits.connections)
    return intake.isCounted
  }

  /// Whether the connection serves a request: a reserved connection serves only priority requests.
  private func hasConnection(for request: HTTPRequest, on worker: RequestWorker) -> Bool {
    !worker.slots[slot].isReserved || worker.core.responder.lane(for: request) == .priority
  }

  private func takeRequest(on worker: RequestWorker) -> HTTPRequest {
    let (peer, account) = (worker.slots[slot].peer, worker.slots[slot].place.account)
    return intake.takeRequest(from: peer, account)
  }

  /// Leaves the connection with libmicrohttpd, which polls for the response whenever it runs.
  ///
  /// Suspending and resuming a connection takes three system calls, which cost more than a few
  /// polls. A connection is suspended only if its response is not ready after ``pollLimit`` polls.
  private func wait(on worker: RequestWorker) -> MHD_Result {
    if worker.rejectsWaiting { rejectWaiting() }
    guard state.withLock({ $0.wait() }) else {
      guard let response = state.withLock({ $0.take() }) else { return .NO }
      return send(response, on: worker)
    }
    worker.deadlines.enter(.responding, slot)
    proceed(to: .waiting, on: worker)
    return .YES
  }

  // MARK: The response

  /// Responds to the request, now or later.
  ///
  /// Any thread.
  func respond(_ response: consuming HTTPResponse) {
    // In an optional, so that the closure moves the response and does not copy it.
    var pending: HTTPResponse? = response
    let effect = state.withLock { state in
      guard let response = pending.take() else { return ResponseState.Effect.none }
      return state.respond(response)
    }
    switch effect {
    case .none: break
    case .notify: loop.inbox.send(.responded(self))
    case .discard(let response): response.discard()
    }
  }

  /// Responds if the request has no response yet.
  ///
  /// Any thread.
  func respondIfPending(_ response: @autoclosure () -> HTTPResponse) {
    if state.withLock({ $0.isPending }) { respond(response()) }
  }

  /// Responds with 503 because the server stops; the worker continues the connection itself.
  func rejectWaiting() {
    if case .discard(let response) = state.withLock({ $0.respond(.stopping) }) {
      response.discard()
    }
  }

  /// Ends the request, in the completed callback: libmicrohttpd uses neither the request nor, if
  /// the connection was handed off, the socket any more.
  func end(on worker: RequestWorker) {
    let wasDispatched = isDispatched
    proceed(to: .ended, on: worker)
    worker.slots[slot].bodyClient = nil
    worker.releaseBody(slot)
    let place = worker.slots[slot].place
    worker.core.releaseBuffer(intake.bodySize, of: intake.account ?? place.account)
    if intake.isCounted { intake.account?.release(.connections) }
    worker.deadlines.enter(.idle, slot)
    switch state.withLock({ $0.end() }) {
    case .nothing: if !wasDispatched, !worker.slots[slot].isRejected { linger(worker) }
    case .handOff(let handOff): worker.core.adopt(handOff)
    case .unsent(let response): response.discard()
    }
    if wasDispatched { worker.core.inFlight.leave() }
  }

  /// Hands the connection to a stream loop, which closes it gracefully.
  ///
  /// Called if libmicrohttpd ended the request itself, for example with an error response. A client
  /// that still sends would lose the response if the connection were reset.
  private func linger(_ worker: RequestWorker) {
    guard let socket = connection.duplicateSocket() else { return }
    worker.core.adopt(
      HandOff(
        socket: socket, head: [], stream: nil, isChunked: false,
        permit: worker.slots[slot].place.permit, client: worker.slots[slot].client))
  }

  private func send(_ response: consuming HTTPResponse, on worker: RequestWorker) -> MHD_Result {
    worker.responses += 1
    if !(200...599).contains(response.status) { response.status = 500 }
    if case .stream(let stream) = response.body { return send(response, stream, on: worker) }
    // The server stops, an invalid request follows, or the reserved connection must become free for
    // the next priority request.
    if worker.core.isStopping || worker.slots[slot].mustClose {
      response.headers.append("Connection", "close")
    }
    // Write the events that the request caused before its response.
    worker.streams?.takeEarlyTurn()
    if case .bytes(let body) = response.body, body.count > WriteBudget.small {
      let account = response.account ?? intake.account ?? worker.slots[slot].place.account
      worker.count(body, slot, for: account)
    }
    guard connection.queue(response) else { return .NO }
    proceed(to: .sending, on: worker)
    worker.deadlines.enter(.sending, slot)
    return .YES
  }

  private func send(
    _ response: HTTPResponse, _ stream: any ByteStream, on worker: RequestWorker
  ) -> MHD_Result {
    let (isHead, isHTTP10) = (intake.isHead, intake.isHTTP10)
    let account = response.account ?? intake.account ?? worker.slots[slot].place.account
    if !isHead, !worker.core.acquireStream(for: account) {
      stream.closed()
      let limit = worker.core.settings.limits.streams
      return send(
        worker.core.responder.rejection(for: .tooManyStreams(limit: limit), of: nil), on: worker)
    }
    guard let socket = connection.duplicateSocket() else {
      stream.closed()
      if !isHead { worker.core.releaseStream(of: account) }
      return send(.stopping, on: worker)
    }
    if isHead { stream.closed() }
    let head = ResponseHead(
      status: response.status, headers: response.headers, framing: isHTTP10 ? .untilClose : .chunked
    )
    return handOff(
      HandOff(
        socket: socket, head: head.bytes, stream: isHead ? nil : stream, isChunked: !isHTTP10,
        permit: worker.slots[slot].place.permit,
        client: worker.slots[slot].client ?? account.map { TurnBudget.entry(of: $0.client) },
        account: account))
  }

  /// Rejects the request before its body was read to the end.
  ///
  /// libmicrohttpd cannot respond before the end of a body, and it closes the connection with a
  /// reset, by which the client can lose the response. The stream loop therefore writes the
  /// response and waits for the client to close.
  private func reject(
    _ rejection: RequestIntake.Rejection, of request: HTTPRequest, on worker: RequestWorker
  ) -> MHD_Result {
    let limits = worker.core.settings.limits
    let reason: HTTPRejection =
      switch rejection {
      case .bodyTooLarge: .bodyTooLarge(limit: limits.body)
      case .headersTooLarge: .headersTooLarge(limit: limits.headers)
      case .tooManyBufferedBytes: .tooManyBodies(limit: limits.buffered)
      case .tooManyConnections: .tooManyConnections(limit: limits.connections)
      case .noConnectionLeft: .noConnectionLeft
      }
    return reject(with: worker.core.responder.rejection(for: reason, of: request), on: worker)
  }

  private func reject(
    with response: HTTPResponse, on worker: RequestWorker
  ) -> MHD_Result {
    guard let socket = connection.duplicateSocket() else {
      response.discard()
      return .NO
    }
    return handOff(
      HandOff(
        socket: socket, rejection: response, isHead: intake.isHead,
        place: worker.slots[slot].place, client: worker.slots[slot].client))
  }

  /// `.NO` makes libmicrohttpd close its descriptor without writing to it (nor `shutdown`, because of
  /// `MHD_USE_TURBO`); it calls `end(on:)` next.
  private func handOff(_ handOff: HandOff) -> MHD_Result {
    state.withLock { $0.handOff(handOff) }
    return .NO
  }
}

extension HTTPResponse {
  /// The response to a request that still waits when the server stops.
  fileprivate static var stopping: HTTPResponse {
    HTTPResponse(status: 503, headers: ["Retry-After": "5"])
  }
}
