internal import ClientCore
internal import Dispatch
internal import Synchronization

/// Executes one machine: opens its connections, passes their events to it, and sets its timer.
///
/// Everything runs on the client's queue, so that changes are published in order.
final class MachineDriver<Machine: StreamReading>: Sendable {
  private struct State: Sendable {
    var machine: Machine
    var stream = 0
    var connection: (any TransportConnection)?
    var token: String?
    /// Collects the complete response if its status is not 2xx.
    var rejection: ResponseCollector?
  }

  private let state: Mutex<State>
  let client: ClientLink
  private let timer: DeadlineTimer
  private let execute: @Sendable (MachineDriver, Machine.Output) -> Void

  /// Creates a driver; nothing is opened yet.
  ///
  /// - Parameters:
  ///   - machine: The machine.
  ///   - client: The client.
  ///   - execute: Executes the outputs that do not concern the connection.
  init(
    _ machine: Machine, _ client: ClientLink,
    execute: @escaping @Sendable (MachineDriver, Machine.Output) -> Void
  ) {
    self.client = client
    self.execute = execute
    state = Mutex(State(machine: machine))
    timer = DeadlineTimer(on: client.queue, client.clock)
  }

  /// Reads a property of the machine.
  func read<Value: Sendable>(_ value: (Machine) -> Value) -> Value {
    state.withLock { value($0.machine) }
  }

  /// Changes the machine and executes its outputs; on the client's queue.
  func apply(_ change: (inout Machine, Duration) -> [Machine.Output]) {
    let outputs = state.withLock { change(&$0.machine, client.clock.now) }
    for output in outputs {
      if let step = Machine.step(of: output) { follow(step) } else { execute(self, output) }
    }
    timer.set(state.withLock { $0.machine.deadline }) { [weak self] in
      self?.apply { $0.wake(now: $1) }
    }
  }

  private func follow(_ step: StreamStep) {
    switch step {
    case .open(let request, let stream): open(request, stream)
    case .close:
      let connection = state.withLock { $0.connection.take() }
      connection?.cancel()
    case .renewToken: client.sender.tokens.reject(state.withLock { $0.token })
    case .replaceCredential(let request, let stream):
      client.sender.send(request) { [weak self] result in
        if case .success(let response) = result, response.head.status == 204 { return }
        guard let self else { return }
        client.enter { [self] in apply { $0.credentialRejected(stream: stream, now: $1) } }
      }
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
    let (isCurrent, isRejection) = state.withLock { state in
      guard state.stream == stream else { return (false, false) }
      if case .head(let head) = event, !(200..<300).contains(head.status) {
        state.rejection = ResponseCollector()
      }
      return (true, state.rejection != nil)
    }
    guard isCurrent else { return }
    if isRejection {
      let result = state.withLock { $0.rejection?.receive(event) }
      return result.map { end($0, stream) } ?? ()
    }
    switch event {
    case .head(let head): apply { $0.opened(stream: stream, head, now: $1) }
    case .bytes(let bytes): apply { $0.received(stream: stream, bytes[...], now: $1) }
    case .end(let problem): apply { $0.closed(stream: stream, problem, now: $1) }
    }
  }

  private func end(_ rejection: Result<TransportResponse, Problem>, _ stream: Int) {
    state.withLock { $0.rejection = nil }
    switch rejection {
    case .success(let response):
      apply { $0.rejected(stream: stream, response, now: $1) }
    case .failure(let problem): apply { $0.closed(stream: stream, problem, now: $1) }
    }
  }
}
