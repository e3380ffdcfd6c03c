internal import NATSClient
internal import Synchronization
internal import SystemThreads
internal import Telemetry

/// The state of the engine's thread.
struct EngineLoop {
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

  /// The time between two checks of the deadlines while something is pending, in milliseconds.
  private static let tick: Int64 = 20

  private let connection: NATSConnection
  private let replies: NATSReplies
  private let inbox: Inbox<EngineMessage>
  private let counters: LogCounters
  private var messages: [EngineMessage] = []
  private var appends: [UInt64: Append] = [:]
  /// The number of an append by that of its void message.
  private var voids: [UInt64: UInt64] = [:]
  private var requests: [UInt64: Request] = [:]
  private var lastTick: Int64 = 0

  init(
    _ connection: NATSConnection, _ replies: NATSReplies, _ inbox: Inbox<EngineMessage>,
    _ counters: LogCounters
  ) {
    self.connection = connection
    self.replies = replies
    self.inbox = inbox
    self.counters = counters
  }

  /// Handles the messages of the inbox, or waits for some.
  ///
  /// - Returns: Whether the inbox is open.
  mutating func handleMessages(_ waker: Waker) -> Bool {
    inbox.receive(into: &messages)
    let now = Clock.milliseconds
    for message in messages { handle(message, now) }
    if now - lastTick >= Self.tick {
      lastTick = now
      tick(now)
    }
    guard messages.isEmpty else { return true }
    if inbox.isFinished {
      failAll()
      return false
    }
    if inbox.prepareToSleep() {
      waker.wait(milliseconds: appends.isEmpty && requests.isEmpty ? 10_000 : Self.tick)
      inbox.cancelSleep()
    }
    return true
  }

  private mutating func handle(_ message: EngineMessage, _ now: Int64) {
    switch message {
    case .append(let append): start(append, now)
    case .request(let request): start(request, now)
    case .reply(let number, let message): didReceive(message, number, now)
    case .reconnected: didReconnect(now)
    case .read(let number, let found, let isFailure):
      guard var append = appends[number] else { return }
      let step =
        isFailure
        ? append.machine.didFailToRead(at: now) : append.machine.didRead(found, at: now)
      appends[number] = append
      execute(step, of: number, now)
    }
  }

  private mutating func didReceive(_ message: NATSMessage, _ number: UInt64, _ now: Int64) {
    if var request = requests[number] {
      // Without responders the request is repeated: the stream may get a leader.
      if message.isWithoutResponders {
        request.nextPublish = now + request.pause.take()
        requests[number] = request
        return
      }
      requests[number] = nil
      return request.request.completion(message)
    }
    let reply = AppendReply(message)
    if let owner = voids[number] {
      receive(reply, to: .void, of: owner, now)
    } else {
      receive(reply, to: .batch, of: number, now)
    }
  }

  private mutating func receive(
    _ reply: AppendReply, to purpose: AppendMachine.Purpose, of number: UInt64, _ now: Int64
  ) {
    guard var append = appends[number] else { return }
    let step = append.machine.didReceive(reply, to: purpose, at: now)
    appends[number] = append
    execute(step, of: number, now)
  }

  // MARK: Appends

  private mutating func start(_ append: PendingAppend, _ now: Int64) {
    let number = replies.nextNumber()
    let machine = AppendMachine(
      expecting: append.expected, batch: append.batch.mark, void: append.void.mark, now: now,
      wait: append.wait)
    appends[number] = Append(append: append, machine: machine)
    advance(number, now)
  }

  private mutating func advance(_ number: UInt64, _ now: Int64) {
    guard var append = appends[number] else { return }
    let step = append.machine.tick(now)
    appends[number] = append
    execute(step, of: number, now)
  }

  private mutating func execute(_ step: AppendMachine.Step, of number: UInt64, _ now: Int64) {
    switch step {
    case .none: break
    case .publish(let purpose): publish(purpose, number)
    case .read(let reading):
      appends[number]?.append.read(reading) { [inbox] result in
        switch result {
        case .success(let found): inbox.send(.read(number, found, isFailure: false))
        case .failure: inbox.send(.read(number, nil, isFailure: true))
        }
      }
    case .report(let last, let start): appends[number]?.append.leaderIsBehind(last, start)
    case .finish(let outcome): finish(number, outcome)
    }
  }

  private mutating func publish(_ purpose: AppendMachine.Purpose, _ number: UInt64) {
    guard connection.isConnected, var append = appends[number] else { return }
    var reply = number
    var payload = append.append.batch.payload
    if purpose == .void {
      reply = append.voidNumber ?? replies.nextNumber()
      payload = append.voidPayload ?? append.append.void.payload()
      (append.voidNumber, append.voidPayload) = (reply, payload)
      voids[reply] = number
    } else if append.machine.published > 0 {
      counters.resends.add()
    }
    var step = AppendMachine.Step.none
    do throws(NATSError) {
      try connection.publish(
        payload, to: append.append.subject, reply: replies.subject(of: reply),
        headers: append.append.headers(purpose))
      append.machine.didPublish(purpose)
    } catch {
      // Any other error ends with the connection's recovery: the message is sent again.
      if error.code == .tooLarge { step = append.machine.didExceedSize() }
    }
    appends[number] = append
    if case .finish(let outcome) = step { finish(number, outcome) }
  }

  private mutating func finish(_ number: UInt64, _ outcome: AppendMachine.Outcome) {
    guard let append = appends.removeValue(forKey: number) else { return }
    if let void = append.voidNumber { voids[void] = nil }
    counters.pending.subtract(1, ordering: .relaxed)
    switch outcome {
    case .committed: counters.appends.add()
    case .lost: counters.lost.add()
    case .unknown: counters.unknown.add()
    default: break
    }
    append.append.completion(outcome)
  }

  // MARK: Requests

  private mutating func start(_ request: PendingRequest, _ now: Int64) {
    let number = replies.nextNumber()
    requests[number] = Request(request: request, nextPublish: now)
    advance(request: number, now)
  }

  private mutating func advance(request number: UInt64, _ now: Int64) {
    guard var request = requests[number] else { return }
    if now >= request.request.deadline {
      requests[number] = nil
      return request.request.completion(nil)
    }
    guard now >= request.nextPublish, connection.isConnected else { return }
    request.nextPublish = now + AppendMachine.interval
    requests[number] = request
    try? connection.publish(
      request.request.payload, to: request.request.subject,
      reply: replies.subject(of: number), headers: request.request.headers)
  }

  // MARK: Time

  private mutating func tick(_ now: Int64) {
    for number in Array(appends.keys) { advance(number, now) }
    for number in Array(requests.keys) { advance(request: number, now) }
  }

  /// The messages that are under way may be lost with the previous connection; repeating them is harmless.
  private mutating func didReconnect(_ now: Int64) {
    for number in Array(appends.keys) {
      guard var append = appends[number] else { continue }
      let step = append.machine.didReconnect(at: now)
      appends[number] = append
      execute(step, of: number, now)
    }
    for number in Array(requests.keys) {
      requests[number]?.nextPublish = now
      advance(request: number, now)
    }
  }

  private mutating func failAll() {
    for number in Array(appends.keys) {
      let isSent = appends[number].map { $0.machine.published > 0 } ?? false
      finish(number, isSent ? .unknown : .unavailable)
    }
    for request in requests.values { request.request.completion(nil) }
    requests = [:]
  }
}
