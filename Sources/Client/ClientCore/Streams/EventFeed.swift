/// Keeps the event stream of one address open, such as the values of a global or the changes of a
/// server, and resumes it after its last event.
///
/// ```
///   idle ──start──▶ waiting ──wake──▶ open ──close, silence, error──▶ waiting (jittered pause)
///    ▲                 │                │
///    └──── stop ───────┴────────────────┘   a final rejection: ended
/// ```
///
/// A value without side effects. ``StreamMachine`` does the same for the streams of sessions.
package struct EventFeed: Sendable {
  /// An instruction to the caller, in order.
  package enum Output: Sendable {
    /// Make this request and pass on its response. At most one stream is open.
    case open(TransportRequest, stream: Int)

    /// Close the open stream.
    case close

    /// Publish the status.
    case status(ConnectionStatus)

    /// Publish the events that arrived together.
    case events([EventParser.Event])

    /// Discard the access token.
    case renewToken

    /// Make this request, which replaces the credential of the open stream by the current token.
    case replaceCredential(TransportRequest, stream: Int)
  }

  private enum Phase: Sendable, Equatable {
    case idle
    case waiting(until: Duration)
    case open
  }

  /// The path below the server's URL, with its query.
  private let path: String
  private let random: @Sendable () -> Double
  /// The id of the last event, or `nil` before the first one.
  package private(set) var lastEventID: String?
  package private(set) var status = ConnectionStatus.connecting

  private var phase = Phase.idle
  private var attempts = StreamAttempts()
  private var outputs: [Output] = []

  /// Creates a feed that is idle.
  ///
  /// - Parameters:
  ///   - path: The path below the server's URL.
  ///   - lastEventID: The id after which the stream begins, or `nil` for the server's choice.
  ///   - random: Returns a number from 0 to 1 for jitter.
  package init(
    path: String, after lastEventID: String? = nil,
    random: @escaping @Sendable () -> Double = { .random(in: 0...1) }
  ) {
    self.path = path
    self.lastEventID = lastEventID
    self.random = random
  }

  /// When to call ``wake(now:)`` next, or `nil` for never.
  package var deadline: Duration? {
    switch phase {
    case .idle: nil
    case .waiting(let until): until
    case .open: attempts.silentAt
    }
  }

  /// Opens the stream immediately, even during a pause between attempts.
  ///
  /// Has no effect after a final rejection.
  package mutating func start(now: Duration) -> [Output] {
    if phase == .open { return [] }
    if case .ended = status { return [] }
    attempts.succeed()
    set(.connecting)
    open(now)
    return taken()
  }

  /// Replaces the credential of the stream by the current token; the stream continues.
  package mutating func renew(now: Duration) -> [Output] {
    guard let request = attempts.replacement else { return reopen(now: now) }
    return phase == .open ? [.replaceCredential(request, stream: attempts.number)] : []
  }

  package mutating func credentialRejected(stream: Int, now: Duration) -> [Output] {
    isCurrent(stream) ? reopen(now: now) : []
  }

  /// Replaces the stream by one with the current token.
  package mutating func reopen(now: Duration) -> [Output] {
    guard phase == .open else { return [] }
    close(.waiting(until: now))
    return taken() + wake(now: now)
  }

  /// Closes the stream; ``start(now:)`` resumes it.
  package mutating func stop(_ status: ConnectionStatus = .paused) -> [Output] {
    close(.idle)
    set(status)
    return taken()
  }

  /// Continues after ``deadline``.
  package mutating func wake(now: Duration) -> [Output] {
    switch phase {
    case .idle: break
    case .waiting(let until): if now >= until { open(now) }
    case .open: if let problem = attempts.silence(now: now) { fail(problem, now) }
    }
    return taken()
  }

  /// Handles the head of a successful response.
  package mutating func opened(stream: Int, _ head: TransportHead, now: Duration) -> [Output] {
    guard isCurrent(stream) else { return [] }
    if let problem = attempts.opened(head, now: now) { fail(problem, now) }
    return taken()
  }

  /// Handles the complete response of a request that was rejected.
  package mutating func rejected(
    stream: Int, _ response: TransportResponse, now: Duration
  ) -> [Output] {
    guard isCurrent(stream) else { return [] }
    let problem = Problem(response)
    if problem.status == 401, attempts.isFirst {
      renew(now)
    } else if problem.isFinal, problem.status < 500 {
      end(problem)
    } else {
      fail(problem, now)
    }
    return taken()
  }

  /// Handles bytes of the body.
  package mutating func received(
    stream: Int, _ bytes: ArraySlice<UInt8>, now: Duration
  ) -> [Output] {
    guard isCurrent(stream) else { return [] }
    do throws(EventParser.TooLarge) {
      for item in try attempts.items(bytes, now: now) {
        apply(item, now)
        guard isCurrent(stream) else { break }
      }
    } catch {
      fail(.largeEvent, now)
    }
    return taken()
  }

  /// Handles the end of the connection; `problem` is `nil` if the server ended the response.
  package mutating func closed(stream: Int, _ problem: Problem?, now: Duration) -> [Output] {
    guard isCurrent(stream) else { return [] }
    fail(problem ?? .closed, now)
    return taken()
  }
}

extension EventFeed {
  private mutating func apply(_ item: EventParser.Item, _ now: Duration) {
    switch item {
    case .retry(let time): attempts.setFirstPause(milliseconds: time)
    case .comment: isLive()
    case .event(let event):
      switch event.name {
      case "draining": fail(.closed, now)
      case "expired": renew(now)
      default:
        isLive()
        lastEventID = event.id ?? lastEventID
        append(event)
      }
    }
  }

  private mutating func append(_ event: EventParser.Event) {
    guard case .events(var events)? = outputs.last else {
      return outputs.append(.events([event]))
    }
    outputs.removeLast()
    events.append(event)
    outputs.append(.events(events))
  }

  private func isCurrent(_ number: Int) -> Bool { number == attempts.number && phase == .open }

  private mutating func isLive() {
    attempts.succeed()
    set(.live)
  }

  private mutating func set(_ status: ConnectionStatus) {
    guard status != self.status else { return }
    self.status = status
    outputs.append(.status(status))
  }

  private mutating func close(_ next: Phase) {
    if phase == .open { outputs.append(.close) }
    phase = next
  }

  private mutating func end(_ problem: Problem) {
    close(.idle)
    set(.ended(problem))
  }

  private mutating func fail(_ problem: Problem, _ now: Duration) {
    let pause = attempts.fail(problem, random: random())
    close(.waiting(until: now + pause))
    set(.reconnecting(problem))
  }

  /// Reopens the stream with a new token: immediately, or after a pause if the last attempt failed
  /// as well.
  private mutating func renew(_ now: Duration) {
    outputs.append(.renewToken)
    close(.waiting(until: now + attempts.failWithToken(random: random())))
  }

  private mutating func open(_ now: Duration) {
    attempts.begin(now: now)
    phase = .open
    var fields: [TransportRequest.Field] = [.init("Accept", "text/event-stream")]
    if let lastEventID { fields.append(.init("Last-Event-ID", lastEventID)) }
    // The timeout is long because the feed itself detects a silent stream.
    outputs.append(
      .open(
        TransportRequest("GET", path, fields: fields, timeout: .seconds(3600 * 4)),
        stream: attempts.number))
  }

  private mutating func taken() -> [Output] {
    defer { outputs = [] }
    return outputs
  }
}
