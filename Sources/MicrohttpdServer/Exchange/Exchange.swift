internal import CMicrohttpd
internal import ReactorHTTP
internal import Synchronization

/// One request and its answer.
///
/// It is made when the request line was parsed and lives until libmicrohttpd's completed callback,
/// which holds the reference that the connection carries, or until its answer is given, if that is
/// later. Its methods run on the worker thread of its connection, and are given the worker;
/// `answer(_:)` runs anywhere.
final class Exchange: Sendable {
  /// How far it is, as its worker sees it.
  private enum Progress: UInt8, AtomicRepresentable, Comparable {
    /// The header fields are awaited.
    case opened
    /// The body is awaited.
    case reading
    /// The responder has the request.
    case responding
    /// libmicrohttpd asks for the answer whenever it runs.
    case waiting
    /// libmicrohttpd holds the connection until the answer is there.
    case suspended
    /// libmicrohttpd has the answer.
    case sending
    case ended

    static func < (one: Progress, other: Progress) -> Bool { one.rawValue < other.rawValue }
  }

  /// How often the answer is asked for in vain before the connection is suspended.
  private static let mostAsked = 8

  /// The place of its connection in its worker's array.
  let slot: Int

  private let loop: RequestLoop
  private let connection: Connection
  private let state = Mutex(AnswerState())
  // Only the worker's thread touches these, so that the lock is always free.
  private let intake: Mutex<RequestIntake>
  private let progress = Atomic<Progress>(.opened)
  private let asked = Atomic<Int>(0)

  init(loop: RequestLoop, connection: Connection, target: RequestTarget) {
    self.loop = loop
    self.connection = connection
    intake = Mutex(RequestIntake(target))
    slot = connection.place
  }

  /// Whether the header fields were read.
  var hasBegun: Bool { progress.load(ordering: .relaxed) > .opened }

  /// Whether the responder has the request, or had it.
  private var isDispatched: Bool { progress.load(ordering: .relaxed) > .reading }

  private func proceed(to next: Progress, on worker: RequestWorker) {
    let former = progress.exchange(next, ordering: .relaxed)
    if former == .waiting { worker.waiting -= 1 }
    if former == .sending { worker.sending -= 1 }
    if next == .waiting { worker.waiting += 1 }
    if next == .sending { worker.sending += 1 }
  }

  /// The header fields are complete: the first of libmicrohttpd's calls.
  func begin(method: String, isHTTP10: Bool, on worker: RequestWorker) -> MHD_Result {
    proceed(to: .reading, on: worker)
    let limits = worker.core.settings.limits
    let (refusal, expectsBody) = intake.withLock { intake in
      intake.begin(method: method, isHTTP10: isHTTP10)
      unsafe connection.forEachHeader(into: &intake, DaemonCallbacks.field)
      return (intake.refusal(headSize: connection.headSize, limits: limits), intake.expectsBody)
    }
    if let refusal { return refuse(refusal, on: worker) }
    if expectsBody { worker.deadlines.enter(.receiving, slot) }
    return .YES
  }

  /// A part of the body.
  func receive(_ bytes: UnsafeBufferPointer<UInt8>, on worker: RequestWorker) -> MHD_Result {
    let limits = worker.core.settings.limits
    let refusal = intake.withLock { unsafe $0.append(bytes, limits: limits) }
    guard let refusal else { return .YES }
    return refuse(refusal, on: worker)
  }

  /// The request is complete, or its connection was resumed: the last of libmicrohttpd's calls.
  func finish(on worker: RequestWorker) -> MHD_Result {
    guard isDispatched else { return dispatch(on: worker) }
    if worker.abandonsWaiting { abandon() }
    if let response = state.withLock({ $0.take() }) { return send(response, on: worker) }
    if asked.add(1, ordering: .relaxed).newValue == Self.mostAsked {
      proceed(to: .suspended, on: worker)
      worker.suspend(self, slot)
    }
    return .YES
  }

  /// The answer, at once or later.
  ///
  /// Any thread.
  func answer(_ response: HTTPResponse) {
    switch state.withLock({ $0.answer(response) }) {
    case .keep: break
    case .tell: loop.deliver(self)
    case .discard(let response): response.discard()
    }
  }

  /// Nobody has the right to answer any more.
  ///
  /// Any thread.
  func answerIfForgotten() {
    if state.withLock({ $0.isUnanswered }) { answer(HTTPResponse(status: 500)) }
  }

  /// Ends the waiting of an exchange because the server stops; the worker resumes it.
  func abandon() {
    if case .discard(let response) = state.withLock({ $0.answer(.stopping) }) { response.discard() }
  }

  /// The completed callback: libmicrohttpd is done with the request and, where it was handed off,
  /// with the socket.
  func end(on worker: RequestWorker) {
    let wasDispatched = isDispatched
    proceed(to: .ended, on: worker)
    worker.deadlines.enter(.idle, slot)
    switch state.withLock({ $0.end() }) {
    case .nothing: if !wasDispatched { linger(worker) }
    case .handOff(let handOff): worker.core.adopt(handOff)
    case .unsent(let response): response.discard()
    }
    if wasDispatched { worker.core.inFlight.leave() }
  }

  /// libmicrohttpd gave up on the request, perhaps with an answer of its own (431) that a reset
  /// would take away from a client which is still sending.
  ///
  /// Our loop closes in its stead.
  private func linger(_ worker: RequestWorker) {
    guard let socket = connection.duplicateSocket() else { return }
    worker.core.adopt(
      HandOff(
        socket: socket, head: [], stream: nil, isChunked: false, permit: worker.slots[slot].permit))
  }

  private func dispatch(on worker: RequestWorker) -> MHD_Result {
    proceed(to: .responding, on: worker)
    worker.core.inFlight.enter()
    let token = AnswerToken(self)
    worker.core.responder.respond(to: request(on: worker)) { token.answer($0) }
    if let response = state.withLock({ $0.take() }) { return send(response, on: worker) }
    return wait(on: worker)
  }

  private func request(on worker: RequestWorker) -> HTTPRequest {
    let peer = worker.slots[slot].peer
    return intake.withLock { $0.request(from: peer) }
  }

  /// Leaves the connection with libmicrohttpd, which asks for the answer whenever it runs.
  ///
  /// To suspend it and to resume it takes three system calls, more than a few questions in vain; so that
  /// is done where the answer takes long.
  private func wait(on worker: RequestWorker) -> MHD_Result {
    if worker.abandonsWaiting { abandon() }
    // From here on an answer is told to the worker, which looks when it is back from libmicrohttpd.
    guard state.withLock({ $0.wait() }) else {
      worker.deadlines.enter(.responding, slot)
      proceed(to: .waiting, on: worker)
      return .YES
    }
    guard let response = state.withLock({ $0.take() }) else { return .NO }
    return send(response, on: worker)
  }

  private func send(_ response: consuming HTTPResponse, on worker: RequestWorker) -> MHD_Result {
    worker.answered += 1
    if !(200...599).contains(response.status) { response.status = 500 }
    if case .stream(let stream) = response.body { return send(response, stream, on: worker) }
    if worker.core.isStopping { response.headers.append("Connection", "close") }
    // Who watches what was acted on has waited as long as who acted.
    worker.streams?.takeEarlyTurn()
    guard connection.queue(response) else { return .NO }
    proceed(to: .sending, on: worker)
    worker.deadlines.enter(.sending, slot)
    return .YES
  }

  private func send(
    _ response: HTTPResponse, _ stream: any ByteStream, on worker: RequestWorker
  ) -> MHD_Result {
    guard let socket = connection.duplicateSocket() else {
      stream.closed()
      return send(.stopping, on: worker)
    }
    let (isHead, isHTTP10) = intake.withLock { ($0.isHead, $0.isHTTP10) }
    if isHead { stream.closed() }
    let head = ResponseHead(
      status: response.status, headers: response.headers, framing: isHTTP10 ? .untilClose : .chunked
    )
    return handOff(
      HandOff(
        socket: socket, head: head.bytes, stream: isHead ? nil : stream, isChunked: !isHTTP10,
        permit: worker.slots[slot].permit))
  }

  /// Refuses the request before its body was read to the end.
  ///
  /// In libmicrohttpd one can neither answer in the midst of a body nor close without a reset that
  /// may take the answer away from the client, so this is a hand-off, too: our loop writes the
  /// answer and waits for the client's end.
  private func refuse(
    _ refusal: RequestIntake.Refusal, on worker: RequestWorker
  ) -> MHD_Result {
    let limits = worker.core.settings.limits
    let responder = worker.core.responder
    let request = request(on: worker)
    let response =
      switch refusal {
      case .malformed: HTTPResponse(status: 400)
      case .bodyTooLarge: responder.refusal(of: .bodyTooLarge(limit: limits.body), to: request)
      case .headersTooLarge:
        responder.refusal(of: .headersTooLarge(limit: limits.headers), to: request)
      }
    guard let socket = connection.duplicateSocket() else {
      response.discard()
      return .NO
    }
    return handOff(
      HandOff(
        socket: socket, refusal: response, isHead: intake.withLock { $0.isHead },
        permit: worker.slots[slot].permit))
  }

  /// `.NO` makes libmicrohttpd close its descriptor without a word on the wire (with
  /// `MHD_USE_TURBO` there is no `shutdown` either); `end()` follows at once.
  private func handOff(_ handOff: HandOff) -> MHD_Result {
    state.withLock { $0.handOff(handOff) }
    return .NO
  }
}

extension HTTPResponse {
  /// What a request gets that is still waiting when the server stops.
  fileprivate static var stopping: HTTPResponse {
    HTTPResponse(status: 503, headers: ["Retry-After": "5"])
  }

  /// Nobody will send this: a stream must hear that it is over.
  func discard() {
    if case .stream(let stream) = body { stream.closed() }
  }
}
