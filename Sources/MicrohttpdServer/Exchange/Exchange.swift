internal import CMicrohttpd
internal import ReactorHTTP
internal import Synchronization

/// One request and its answer.
///
/// It is made when the request line was parsed and lives until libmicrohttpd's completed callback,
/// which holds the reference that the connection carries. Its methods but one run on the worker
/// thread of its connection; `answer(_:)` runs anywhere.
final class Exchange: Sendable {
  private let core: ServerCore
  private let target: RequestTarget
  private let connection: Connection
  private let intake = Mutex<RequestIntake?>(nil)
  private let state = Mutex(AnswerState())
  private let wasDispatched = Atomic<Bool>(false)

  init(core: ServerCore, connection: Connection, target: RequestTarget) {
    self.core = core
    self.connection = connection
    self.target = target
  }

  /// Whether the header fields were read.
  var hasBegun: Bool { intake.withLock { $0 != nil } }

  /// The header fields are complete: the first of libmicrohttpd's calls.
  func begin(_ intake: RequestIntake) -> MHD_Result {
    let refusal = intake.refusal(headSize: connection.headSize, limits: core.settings.limits)
    self.intake.withLock { $0 = intake }
    guard let refusal else { return .YES }
    return refuse(refusal)
  }

  /// A part of the body.
  func receive(_ bytes: UnsafeBufferPointer<UInt8>) -> MHD_Result {
    let refusal = intake.withLock { intake in
      unsafe intake?.append(bytes, limits: core.settings.limits)
    }
    guard let refusal else { return .YES }
    return refuse(refusal)
  }

  /// The request is complete, or its connection was resumed: the last of libmicrohttpd's calls.
  func finish() -> MHD_Result {
    guard wasDispatched.exchange(true, ordering: .relaxed) else { return dispatch() }
    guard let response = state.withLock({ $0.take() }) else { return .YES }
    return send(response)
  }

  /// The answer, at once or later.
  ///
  /// Any thread.
  func answer(_ response: HTTPResponse) {
    switch state.withLock({ $0.answer(response) }) {
    case .keep: break
    case .resume: resume()
    case .discard(let response): response.discard()
    }
  }

  /// The completed callback: libmicrohttpd is done with the request and, where it was handed off,
  /// with the socket.
  func end() {
    switch state.withLock({ $0.end() }) {
    case .nothing: if !wasDispatched.load(ordering: .relaxed) { linger() }
    case .handOff(let handOff): core.adopt(handOff)
    case .unsent(let response): response.discard()
    }
    if wasDispatched.load(ordering: .relaxed) { core.inFlight.leave() }
  }

  /// libmicrohttpd gave up on the request, perhaps with an answer of its own (431) that a reset
  /// would take away from a client which is still sending.
  ///
  /// Our loop closes in its stead.
  private func linger() {
    guard let socket = connection.duplicateSocket() else { return }
    core.adopt(HandOff(socket: socket, head: [], stream: nil, isChunked: false))
  }

  private func dispatch() -> MHD_Result {
    let target = target
    let request = intake.withLock { $0?.finish(target: target) }
    guard let request else { return .NO }
    core.inFlight.enter()
    let token = AnswerToken(self)
    core.responder.respond(to: request) { token.answer($0) }
    if let response = state.withLock({ $0.take() }) { return send(response) }
    return suspend()
  }

  private func suspend() -> MHD_Result {
    guard core.suspended.insert(self) else {
      answer(.stopping)
      guard let response = state.withLock({ $0.take() }) else { return .NO }
      return send(response)
    }
    connection.suspend()
    if state.withLock({ $0.suspend() }) { resume() }
    return .YES
  }

  private func resume() {
    connection.resume()
    core.suspended.remove(self)
  }

  private func send(_ response: HTTPResponse) -> MHD_Result {
    let status = (200...599).contains(response.status) ? response.status : 500
    let body: [UInt8]
    switch response.body {
    case .stream(let stream): return send(response, status: status, stream: stream)
    case .empty: body = []
    case .bytes(let bytes): body = bytes
    }
    var headers = response.headers
    if core.isStopping { headers.append(("Connection", "close")) }
    return connection.queue(status: status, headers: headers, body: body) ? .YES : .NO
  }

  private func send(
    _ response: HTTPResponse, status: Int, stream: any ByteStream
  ) -> MHD_Result {
    let (isHead, isHTTP10) = intake.withLock { ($0?.isHead ?? false, $0?.isHTTP10 ?? true) }
    guard let socket = connection.duplicateSocket() else {
      stream.closed()
      return connection.queue(status: 503, headers: [("Retry-After", "5")], body: []) ? .YES : .NO
    }
    if isHead { stream.closed() }
    let head = ResponseHead(
      status: status, headers: response.headers, framing: isHTTP10 ? .untilClose : .chunked)
    return handOff(
      HandOff(
        socket: socket, head: head.bytes, stream: isHead ? nil : stream, isChunked: !isHTTP10))
  }

  /// Refuses the request before its body was read to the end.
  ///
  /// In libmicrohttpd one can neither answer in the midst of a body nor close without a reset that may take the answer away from the client,
  /// so this is a hand-off, too: our loop writes the answer and waits for the client's end.
  private func refuse(_ refusal: RequestIntake.Refusal) -> MHD_Result {
    let limits = core.settings.limits
    let response =
      switch refusal {
      case .malformed: HTTPResponse(status: 400)
      case .bodyTooLarge: core.responder.refusal(of: .bodyTooLarge(limit: limits.body))
      case .headersTooLarge: core.responder.refusal(of: .headersTooLarge(limit: limits.headers))
      }
    var body: [UInt8] = []
    switch response.body {
    case .bytes(let bytes): body = bytes
    case .stream, .empty: response.discard()
    }
    guard let socket = connection.duplicateSocket() else { return .NO }
    let head = ResponseHead(
      status: response.status, headers: response.headers, framing: .length(body.count))
    let isHead = intake.withLock { $0?.isHead ?? false }
    return handOff(
      HandOff(
        socket: socket, head: isHead ? head.bytes : head.bytes + body, stream: nil,
        isChunked: false))
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
    HTTPResponse(status: 503, headers: [("Retry-After", "5")])
  }

  /// Nobody will send this: a stream must hear that it is over.
  fileprivate func discard() {
    if case .stream(let stream) = body { stream.closed() }
  }
}

extension Exchange {
  /// Ends the waiting of an exchange because the server stops.
  func abandon() { answer(.stopping) }
}
