internal import ClientCore
internal import Dispatch
internal import Synchronization

/// Executes one stream machine: opens its connections, passes on what arrives, and sets its timer.
///
/// Everything runs on the client's queue, so that changes are published in order.
final class StreamDriver: Sendable {
  private struct State: Sendable {
    var machine: StreamMachine
    var stream = 0
    var connection: (any TransportConnection)?
    var token: String?
    /// The response so far, if its status is no success.
    var rejection: TransportResponse?
  }

  private static let rejectionLimit = 65_536

  private let state: Mutex<State>
  private let client: ClientLink
  private let timer: DeadlineTimer

  /// Creates a driver without sessions.
  init(_ client: ClientLink) {
    self.client = client
    state = Mutex(State(machine: StreamMachine(capacity: client.configuration.sessionsPerStream)))
    timer = DeadlineTimer(on: client.queue, client.clock)
  }

  var hasRoom: Bool { state.withLock { $0.machine.hasRoom } }

  var status: ConnectionStatus { state.withLock { $0.machine.status } }

  /// Whether a session is on this stream.
  func has(_ key: String) -> Bool { state.withLock { $0.machine.has(key) } }

  /// Changes the machine and executes its outputs; on the client's queue.
  func perform(_ change: (inout StreamMachine, Duration) -> [StreamMachine.Output]) {
    let outputs = state.withLock { change(&$0.machine, client.clock.now) }
    for output in outputs { execute(output) }
    timer.set(state.withLock { $0.machine.deadline }) { [self] in
      perform { $0.wake(now: $1) }
    }
  }

  private func execute(_ output: StreamMachine.Output) {
    switch output {
    case .open(let request, let stream): open(request, stream)
    case .close:
      let connection = state.withLock { $0.connection.take() }
      connection?.cancel()
    case .status(let status): client.streamChanged(self, status)
    case .update(let key, let update): client.channel(key)?.receive(update)
    case .check(let keys): for key in keys { check(key) }
    case .overflow(let keys): for key in keys { client.join(key) }
    case .renewToken: client.sender.tokens.reject(state.withLock { $0.token })
    }
  }

  private func open(_ request: TransportRequest, _ stream: Int) {
    state.withLock {
      $0.stream = stream
      $0.rejection = nil
    }
    client.sender.open(request) { [weak self] event in
      guard let self else { return }
      client.enter { [self] in receive(event, stream) }
    } opened: { [weak self] connection, token in
      guard let self else { return connection.cancel() }
      let isCurrent = state.withLock { state in
        guard state.stream == stream else { return false }
        state.connection = connection
        state.token = token
        return true
      }
      if !isCurrent { connection.cancel() }
    }
  }

  private func receive(_ event: TransportEvent, _ stream: Int) {
    guard state.withLock({ $0.stream }) == stream else { return }
    switch event {
    case .head(let head) where (200..<300).contains(head.status):
      perform { $0.opened(stream: stream, head, now: $1) }
    case .head(let head):
      state.withLock { $0.rejection = TransportResponse(head, body: []) }
    case .bytes(let bytes):
      let isRejection = state.withLock { state in
        guard let size = state.rejection?.body.count else { return false }
        state.rejection?.body += bytes.prefix(max(0, Self.rejectionLimit - size))
        return true
      }
      if !isRejection { perform { $0.received(stream: stream, bytes[...], now: $1) } }
    case .end(let problem):
      let rejection = state.withLock { $0.rejection.take() }
      perform { machine, now in
        guard let rejection else { return machine.closed(stream: stream, problem, now: now) }
        return machine.rejected(stream: stream, rejection, now: now)
      }
    }
  }

  /// Reads a session's State; removes the session if the server rejects that.
  private func check(_ key: String) {
    client.sender.send(.get(SessionPath.path(key) + "/state")) { [weak self] result in
      guard let self, case .success(let response) = result, response.head.status >= 400 else {
        return
      }
      let problem = Problem(response)
      guard !problem.isTransient else { return }
      client.enter { [self] in perform { machine, _ in machine.remove(key, problem) } }
    }
  }
}

/// The paths of sessions.
enum SessionPath {
  /// The path of a session by its key, `counter/demo`.
  static func path(_ key: String) -> String {
    let parts = key.split(separator: "/", maxSplits: 1)
    return path(String(parts.first ?? ""), String(parts.last ?? ""))
  }

  /// The path of a session.
  static func path(_ reactor: String, _ session: String) -> String {
    "v1/reactors/\(reactor.percentEncoded)/sessions/\(session.percentEncoded)"
  }
}
