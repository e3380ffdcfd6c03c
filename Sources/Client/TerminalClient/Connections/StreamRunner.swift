internal import ClientCore

/// Executes one machine on the calling thread.
final class StreamRunner<Machine: StreamReading> {
  let origin: HTTPOrigin
  private(set) var machine: Machine
  private let fields: RequestFields
  private let start = ContinuousClock.now
  /// Executes an output that does not concern the connection; returns those that follow from it.
  private let execute: (inout Machine, Machine.Output) throws(CommandFailure) -> [Machine.Output]

  /// Creates a runner.
  ///
  /// - Parameters:
  ///   - machine: The machine.
  ///   - origin: The server.
  ///   - fields: The fields to add to each request.
  ///   - execute: Executes an output that does not concern the connection, and returns those that follow.
  init(
    _ machine: Machine, to origin: HTTPOrigin, adding fields: RequestFields,
    execute: @escaping (inout Machine, Machine.Output) throws(CommandFailure) -> [Machine.Output]
  ) {
    self.machine = machine
    self.origin = origin
    self.fields = fields
    self.execute = execute
  }

  private var now: Duration { ContinuousClock.now - start }

  /// The time for which the machine waits for the next bytes.
  private var patience: Duration { (machine.deadline ?? now) - now }

  /// Executes the machine until it is idle.
  ///
  /// - Parameter begin: The first change of the machine.
  /// - Throws: The failure of an output.
  func executeUntilIdle(
    _ begin: (inout Machine, Duration) -> [Machine.Output]
  ) throws(CommandFailure) {
    var outputs = begin(&machine, now)
    while true {
      let opening = try follow(outputs)
      if let (request, stream) = opening {
        outputs = try connect(request, stream)
      } else {
        guard let deadline = machine.deadline else { return }
        pause(deadline - now)
        outputs = machine.wake(now: now)
      }
    }
  }

  /// Executes outputs and those that follow from them; returns the connection to open.
  private func follow(
    _ outputs: [Machine.Output]
  ) throws(CommandFailure) -> (request: TransportRequest, stream: Int)? {
    var opening: (TransportRequest, Int)?
    var rest = outputs
    while !rest.isEmpty {
      var following: [Machine.Output] = []
      for output in rest {
        switch Machine.step(of: output) {
        case .open(let request, let stream): opening = (request, stream)
        // `connect` closes its connection when it returns, and reads the token for the next one.
        case .close, .renewToken, .replaceCredential: break
        case nil: following += try execute(&machine, output)
        }
      }
      rest = following
    }
    return opening
  }

  /// Opens one connection and executes the outputs of its events until its end.
  ///
  /// - Returns: The outputs to execute after its end.
  private func connect(
    _ request: TransportRequest, _ stream: Int
  ) throws(CommandFailure) -> [Machine.Output] {
    var request = request
    try fields.add(to: &request)
    var rest: [Machine.Output] = []
    var failure: CommandFailure?
    var rejection: ResponseCollector?
    var problem: Problem?
    do throws(ConnectionFailure) {
      let limit = { [self] in patience }
      try Transfers(to: origin).exchange(request, waitingAtMost: limit) { [self] event in
        if case .head(let head) = event, !(200..<300).contains(head.status) {
          rejection = ResponseCollector()
        }
        guard rejection == nil else { return rejection?.receive(event) == nil }
        do throws(CommandFailure) {
          rest = try apply(event, stream)
        } catch {
          failure = error
        }
        return failure == nil && rest.isEmpty
      }
    } catch {
      problem = error.problem
      // The machine reports the silent stream now, and ignores the `closed` that follows.
      if error.reason == .silent { rest += machine.wake(now: now) }
    }
    if let failure { throw failure }
    guard case .success(let response)? = rejection?.receive(.end(problem)) else {
      return rest + machine.closed(stream: stream, problem, now: now)
    }
    return rest + machine.rejected(stream: stream, response, now: now)
  }

  /// Applies an event of the connection; returns the outputs to execute after its end.
  ///
  /// If there are any, the connection is closed.
  private func apply(
    _ event: TransportEvent, _ stream: Int
  ) throws(CommandFailure) -> [Machine.Output] {
    let outputs =
      switch event {
      case .head(let head): machine.opened(stream: stream, head, now: now)
      case .bytes(let bytes): machine.received(stream: stream, bytes[...], now: now)
      case .end: [Machine.Output]()
      }
    var rest: [Machine.Output] = []
    for output in outputs {
      if Machine.step(of: output) != nil {
        rest.append(output)
      } else {
        rest += try execute(&machine, output)
      }
    }
    return rest
  }
}
