internal import NATSClient
internal import ReactorLog
internal import Synchronization
internal import Telemetry

/// The appends and requests without an outcome, and the decisions about them.
///
/// A value without threads: each event returns the next step, which ``EngineCore`` executes without its lock.
struct EngineTable {
  /// A step to execute.
  enum Step: Sendable {
    /// Publish a message of an append, and report if the connection rejects it.
    case publish(UInt64, AppendMachine.Purpose, payload: [UInt8], PendingAppend, reply: UInt64)
    case request(PendingRequest, reply: UInt64)
    /// Read a message, and report it.
    case read(UInt64, AppendMachine.Reading, PendingAppend)
    case report(PendingAppend, last: Int?, since: Int64)
    case finish(PendingAppend, AppendMachine.Outcome)
    case respond(PendingRequest, NATSMessage?)
  }

  private struct Append {
    let append: PendingAppend
    var machine: AppendMachine
    /// The number of the replies to the void message.
    var voidNumber: UInt64?
    var voidPayload: [UInt8]?
  }

  private struct Request {
    let request: PendingRequest
    var nextPublish: Int64
    var pause = RetryPause()
  }

  /// The number and the size, in bytes, of messages without an outcome up to which callers publish
  /// their own messages.
  ///
  /// That many messages, with their repetitions, fit into the buffers of a connection whose broker
  /// is paused.
  static let directBound = (count: 128, size: 65_536)

  /// Whether the engine is closed: further appends and requests fail.
  private(set) var isClosed = false

  private let connection: NATSConnection
  private let counters: LogCounters
  private var appends: [UInt64: Append] = [:]
  /// The numbers of appends, by the numbers of the replies to their void messages.
  private var voids: [UInt64: UInt64] = [:]
  private var requests: [UInt64: Request] = [:]
  /// The numbers of the appends and requests that the engine's thread publishes for the first time.
  private var unsent: [UInt64] = []
  /// The size of the payloads, in bytes.
  private var size = 0
  private var lastNumber: UInt64 = 0

  init(_ connection: NATSConnection, _ counters: LogCounters) {
    self.connection = connection
    self.counters = counters
  }

  /// Whether no append and no request is pending.
  var isEmpty: Bool { appends.isEmpty && requests.isEmpty }

  /// Whether messages wait for the engine's thread.
  var hasUnsent: Bool { !unsent.isEmpty }

  private var isDirect: Bool {
    appends.count + requests.count <= Self.directBound.count && size <= Self.directBound.size
  }

  private mutating func nextNumber() -> UInt64 {
    lastNumber += 1
    return lastNumber
  }

  // MARK: Appends

  /// Begins an append.
  mutating func start(_ append: PendingAppend, at now: Int64) -> Step? {
    let number = nextNumber()
    let machine = AppendMachine(
      expecting: append.expected, batch: append.batch.mark, void: append.void.mark, now: now,
      wait: append.wait)
    appends[number] = Append(append: append, machine: machine)
    size += append.batch.payload.count
    guard isDirect else {
      unsent.append(number)
      return nil
    }
    return advance(number, now)
  }

  private mutating func advance(_ number: UInt64, _ now: Int64) -> Step? {
    guard let step = appends[number]?.machine.tick(now) else { return nil }
    return next(step, of: number)
  }

  private mutating func next(_ step: AppendMachine.Step, of number: UInt64) -> Step? {
    guard let append = appends[number]?.append else { return nil }
    switch step {
    case .none: return nil
    case .publish(let purpose): return publish(purpose, number)
    case .read(let reading): return .read(number, reading, append)
    case .report(let last, let start): return .report(append, last: last, since: start)
    case .finish(let outcome): return finish(number, outcome)
    }
  }

  private mutating func publish(_ purpose: AppendMachine.Purpose, _ number: UInt64) -> Step? {
    guard connection.isConnected, var append = appends[number] else { return nil }
    defer { appends[number] = append }
    var reply = number
    var payload = append.append.batch.payload
    if purpose == .void {
      reply = append.voidNumber ?? nextNumber()
      payload = append.voidPayload ?? append.append.void.payload()
      (append.voidNumber, append.voidPayload) = (reply, payload)
      voids[reply] = number
    } else if append.machine.published > 0 {
      counters.resends.add()
    }
    append.machine.willPublish(purpose)
    return .publish(number, purpose, payload: payload, append.append, reply: reply)
  }

  /// The connection has rejected a message, see ``AppendMachine/didFailToPublish(_:isTooLarge:)``.
  mutating func didFailToPublish(
    _ number: UInt64, _ purpose: AppendMachine.Purpose, isTooLarge: Bool
  ) -> Step? {
    guard
      let step = appends[number]?.machine.didFailToPublish(purpose, isTooLarge: isTooLarge)
    else { return nil }
    return next(step, of: number)
  }

  /// A message was read to know the outcome of an append, or `nil` if there is none.
  mutating func didRead(
    _ number: UInt64, _ result: Result<(sequence: Int, mark: WriterMark?)?, LogError>,
    at now: Int64
  ) -> Step? {
    let step: AppendMachine.Step?
    switch result {
    case .success(let found): step = appends[number]?.machine.didRead(found, at: now)
    case .failure: step = appends[number]?.machine.didFailToRead(at: now)
    }
    return step.flatMap { next($0, of: number) }
  }

  private mutating func finish(_ number: UInt64, _ outcome: AppendMachine.Outcome) -> Step? {
    guard let append = appends.removeValue(forKey: number) else { return nil }
    size -= append.append.batch.payload.count
    if let void = append.voidNumber { voids[void] = nil }
    counters.pending.subtract(1, ordering: .relaxed)
    switch outcome {
    case .committed: counters.appends.add()
    case .lost: counters.lost.add()
    case .unknown: counters.unknown.add()
    default: break
    }
    return .finish(append.append, outcome)
  }

  // MARK: Requests

  /// Begins a request.
  mutating func start(_ request: PendingRequest, at now: Int64) -> Step? {
    let number = nextNumber()
    requests[number] = Request(request: request, nextPublish: now)
    guard isDirect else {
      unsent.append(number)
      return nil
    }
    return advance(request: number, now)
  }

  private mutating func advance(request number: UInt64, _ now: Int64) -> Step? {
    guard let request = requests[number] else { return nil }
    if now >= request.request.deadline {
      requests[number] = nil
      return .respond(request.request, nil)
    }
    guard now >= request.nextPublish, connection.isConnected else { return nil }
    requests[number]?.nextPublish = now + AppendMachine.interval
    return .request(request.request, reply: number)
  }

  // MARK: Replies

  /// A reply has arrived.
  mutating func didReceive(_ message: NATSMessage, to number: UInt64, at now: Int64) -> Step? {
    if let request = requests[number] {
      // Without responders the request is repeated: the stream may get a leader.
      if message.isWithoutResponders {
        let pause = requests[number]?.pause.take() ?? 0
        requests[number]?.nextPublish = now + pause
        return nil
      }
      requests[number] = nil
      return .respond(request.request, message)
    }
    let owner = voids[number]
    let step = appends[owner ?? number]?.machine.didReceive(
      AppendReply(message), to: owner == nil ? .batch : .void, at: now)
    return step.flatMap { next($0, of: owner ?? number) }
  }

  // MARK: Time

  /// Removes the messages that wait for the engine's thread, and returns the steps that publish
  /// them.
  mutating func takeUnsent(at now: Int64) -> [Step] {
    defer { unsent.removeAll(keepingCapacity: unsent.count < 1_024) }
    return unsent.compactMap { advance($0, now) ?? advance(request: $0, now) }
  }

  /// Time has passed.
  mutating func tick(at now: Int64) -> [Step] {
    Array(appends.keys).compactMap { advance($0, now) }
      + Array(requests.keys).compactMap { advance(request: $0, now) }
  }

  /// The connection was restored: the messages that are under way may be lost with the previous one;
  /// repeating them is harmless.
  mutating func didReconnect(at now: Int64) -> [Step] {
    var steps: [Step] = []
    for number in Array(appends.keys) {
      guard let step = appends[number]?.machine.didReconnect(at: now) else { continue }
      if let next = next(step, of: number) { steps.append(next) }
    }
    for number in Array(requests.keys) {
      requests[number]?.nextPublish = now
      if let next = advance(request: number, now) { steps.append(next) }
    }
    return steps
  }

  /// Closes the table: all pending appends and requests fail.
  mutating func close() -> [Step] {
    isClosed = true
    let ended = Array(appends.keys).compactMap { number in
      let isSent = appends[number].map { $0.machine.published > 0 } ?? false
      return finish(number, isSent ? .unknown : .unavailable)
    }
    let requests = requests.values.map { Step.respond($0.request, nil) }
    self.requests = [:]
    return ended + requests
  }
}
