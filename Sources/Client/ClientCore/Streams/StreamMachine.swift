internal import ReactorCoding

/// Keeps one event stream of several sessions open: decides when to open a connection, applies the
/// events of the stream, and resumes after the last one.
///
/// ```
///            join                 collected              head                 close, silence, error
///   idle ───────────▶ waiting ───────────────▶ connecting ─────▶ live ───────────────────────┐
///    ▲                   ▲                          │              │ join: reopened with all   │
///    │ last leave        └──────────────────────────┴──────────────┴───── jittered pause ◀─────┘
///    └── paused ◀── pause
/// ```
///
/// A value without side effects: each method takes the current time and returns instructions to the
/// caller. Times are durations since an arbitrary fixed moment. The caller passes the bytes of a
/// stream with its number from ``Output/open(_:stream:)``; those of an older stream are ignored.
package struct StreamMachine: Sendable {
  /// An instruction to the caller, in order.
  package enum Output: Sendable {
    /// Make this request and pass on its response. At most one stream is open.
    case open(TransportRequest, stream: Int)

    /// Close the open stream.
    case close

    /// Publish the status.
    case status(ConnectionStatus)

    /// Publish a change of a session.
    case update(key: String, SessionUpdate)

    /// Read the State of each session and report the ones that are rejected with ``remove(_:_:)``.
    case check([String])

    /// The server rejected the stream because it has too many sessions: open another stream for
    /// these.
    case overflow([String])

    /// Discard the access token.
    case renewToken

    /// Make this request, which replaces the credential of the open stream by the current token.
    case replaceCredential(TransportRequest, stream: Int)
  }

  enum Phase: Sendable, Equatable {
    case idle
    case paused
    case waiting(until: Duration)
    case connecting
    case live
  }

  /// Joins within this time share one request.
  private static let settlingTime = Duration.milliseconds(10)
  /// A session that is left stays on the stream for this time, since the next screen often joins it.
  private static let leavingTime = Duration.seconds(2)

  /// The number of sessions that fit on the stream.
  package private(set) var capacity: Int
  /// The sessions by key, `counter/demo`.
  private(set) var sessions: [String: SessionCopy] = [:]
  private(set) var phase = Phase.idle
  package private(set) var status = ConnectionStatus.connecting

  private var attempts = StreamAttempts()
  /// When the open stream is replaced, because its sessions, topics or token have changed, or `nil` if
  /// they have not.
  private var restartsAt: Duration?
  private var outputs: [Output] = []
  private var openTopics: StreamTopics = []
  /// The name of the client's streams at a service without authentication.
  private let name: String?
  private let random: @Sendable () -> Double

  /// Creates a machine without sessions.
  ///
  /// - Parameters:
  ///   - capacity: The number of sessions per stream.
  ///   - name: The name of the client's streams at a service without authentication.
  ///   - random: Returns a number from 0 to 1 for jitter.
  package init(
    capacity: Int, name: String? = nil,
    random: @escaping @Sendable () -> Double = { .random(in: 0...1) }
  ) {
    self.capacity = capacity
    self.name = name
    self.random = random
  }

  /// Whether another session fits.
  package var hasRoom: Bool { sessions.count < capacity }

  /// When to call ``wake(now:)`` next, or `nil` for never.
  package var deadline: Duration? {
    switch phase {
    case .idle, .paused: nil
    case .waiting(let until): until
    case .connecting, .live: min(restartsAt ?? .seconds(1 << 40), attempts.silentAt)
    }
  }

  // MARK: Sessions

  /// Adds a session, or adds topics to a session that is already on the stream and changes its selection.
  package mutating func join(
    _ key: String, topics: StreamTopics = [], selection: Selection = .whole, now: Duration
  ) -> [Output] {
    if let copy = sessions[key] {
      sessions[key]?.topics.formUnion(topics)
      sessions[key]?.wanted = selection
      guard phase == .connecting || phase == .live else { return [] }
      if !openTopics.isSuperset(of: topics) || !copy.selection.contains(selection) {
        restart(at: now + Self.settlingTime)
      } else if copy.selection != selection {
        restart(at: now + Self.leavingTime)
      }
      return []
    }
    sessions[key] = SessionCopy(key: key, topics: topics, selection: selection)
    switch phase {
    case .idle: phase = .waiting(until: now + Self.settlingTime)
    case .connecting, .live: restart(at: now + Self.settlingTime)
    case .waiting, .paused: break
    }
    return []
  }

  /// Removes a session that is no longer observed.
  package mutating func leave(_ key: String, now: Duration) -> [Output] {
    guard sessions.removeValue(forKey: key) != nil else { return [] }
    if phase == .connecting || phase == .live { restart(at: now + Self.leavingTime) }
    return taken()
  }

  /// Removes a session that the server rejects.
  package mutating func remove(_ key: String, _ problem: Problem) -> [Output] {
    guard sessions.removeValue(forKey: key) != nil else { return [] }
    outputs.append(.update(key: key, .ended(problem)))
    if sessions.isEmpty { stop(.idle) }
    return taken()
  }

  /// Whether a session is on the stream.
  package func has(_ key: String) -> Bool { sessions[key] != nil }

  /// The last State of a session.
  package func state(of key: String) -> SessionState? { sessions[key]?.held }

  // MARK: Time and network

  /// Continues after ``deadline``.
  package mutating func wake(now: Duration) -> [Output] {
    switch phase {
    case .idle, .paused: break
    case .waiting(let until): if now >= until { open(now) }
    case .connecting, .live:
      if let restartsAt, now >= restartsAt {
        open(now)
      } else if let problem = attempts.silence(now: now) {
        fail(problem, now)
      }
    }
    return taken()
  }

  /// Closes the stream until ``resume(now:)``; States and cursors are retained.
  package mutating func pause() -> [Output] {
    stop(.paused)
    set(.paused)
    return taken()
  }

  /// Connects without delay: after a pause, a change of network, or a new token.
  package mutating func resume(now: Duration) -> [Output] {
    if phase == .paused { set(.connecting) }
    attempts.succeed()
    guard !sessions.isEmpty else {
      phase = .idle
      return taken()
    }
    open(now)
    return taken()
  }

  /// Replaces the credential of the stream by the current token; the stream continues.
  package mutating func renew(now: Duration) -> [Output] {
    guard phase == .live, let request = attempts.replacement else { return reopen(now: now) }
    return [.replaceCredential(request, stream: attempts.number)]
  }

  package mutating func credentialRejected(stream: Int, now: Duration) -> [Output] {
    isCurrent(stream) ? reopen(now: now) : []
  }

  /// Replaces the stream by one with the current token.
  private mutating func reopen(now: Duration) -> [Output] {
    if phase == .connecting || phase == .live { restart(at: now) }
    return wake(now: now)
  }

  // MARK: The stream

  /// Handles the head of a successful response.
  package mutating func opened(stream: Int, _ head: TransportHead, now: Duration) -> [Output] {
    guard isCurrent(stream) else { return [] }
    if head.status == 204 {
      // All sessions have ended, unless something before the server has responded.
      outputs.append(.check(sessions.keys.sorted()))
      let isFirst = attempts.isFirst
      let problem = Problem(TransportResponse(head, body: []))
      let pause = attempts.fail(problem, random: random())
      stop(.waiting(until: now + pause))
      if !isFirst { set(.reconnecting(problem)) }
    } else if let problem = attempts.opened(head, now: now) {
      fail(problem, now)
    }
    return taken()
  }

  /// Handles the complete response of a request that was rejected.
  package mutating func rejected(
    stream: Int, _ response: TransportResponse, now: Duration
  ) -> [Output] {
    guard isCurrent(stream) else { return [] }
    let problem = Problem(response)
    let isTooLong = [414, 431].contains(problem.status)
    let isTooMany =
      problem.kind == .invalidParameter && problem.members.string("parameter") == "session"
    if isTooMany || isTooLong, sessions.count > 1 {
      divide(now)
    } else {
      let isUnauthorized = problem.status == 401
      if isUnauthorized { outputs.append(.renewToken) }
      if isUnauthorized, attempts.isFirst {
        reopenWithNewToken(now)
        return taken()
      }
      if problem.isFinal, problem.status < 500 {
        outputs.append(.check(sessions.keys.sorted()))
      }
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

extension StreamMachine {
  private mutating func apply(_ item: EventParser.Item, _ now: Duration) {
    switch item {
    case .retry(let time): attempts.setFirstPause(milliseconds: time)
    case .comment: isLive()
    case .event(let event):
      do throws(Problem) {
        try apply(event, now)
      } catch {
        fail(error, now)
      }
    }
  }

  private mutating func apply(_ event: EventParser.Event, _ now: Duration) throws(Problem) {
    let document: JSONDocument
    do throws(JSONSyntaxError) {
      document = try JSONDocument(parsing: event.data)
    } catch {
      throw .malformedEvent("The data of an event is not JSON.")
    }
    if sessions[event.name] != nil {
      isLive()
      return try replace(event.name, document, event.id)
    }
    switch event.name {
    case "draining": return fail(.closed, now)
    case "expired":
      outputs.append(.renewToken)
      return reopenWithNewToken(now)
    default: break
    }
    let root = document.root
    guard let key = root["session"]?.string, let data = root["data"] else {
      throw .malformedEvent("An event has no session or no data.")
    }
    isLive()
    guard sessions[key] != nil else { return }
    switch event.name {
    case "patch": try patch(key, data, event.id)
    case "activity":
      outputs.append(.update(key: key, .activity(Activity(data))))
    case "reset": sessions[key]?.reset()
    case "end": if end(key) { stop(.idle) }
    default: outputs.append(.update(key: key, .notice(event.name, data)))
    }
  }

  private mutating func replace(
    _ key: String, _ document: JSONDocument, _ id: String?
  ) throws(Problem) {
    guard let cursor = cursor(of: key, id) else {
      throw .malformedEvent("The event of \(key) has no cursor.")
    }
    guard let state = sessions[key]?.replace(document, at: cursor) else { return }
    outputs.append(.update(key: key, .state(state)))
  }

  private mutating func patch(_ key: String, _ data: JSONElement, _ id: String?) throws(Problem) {
    guard let cursor = cursor(of: key, id) else {
      throw .malformedEvent("The patch of \(key) has no cursor.")
    }
    do throws(JSONPatchError) {
      guard let state = try sessions[key]?.apply(data, at: cursor) else { return }
      outputs.append(.update(key: key, .state(state)))
    } catch {
      // The next stream begins with the whole State, since the copy is empty.
      let problem = Problem.malformedEvent("A patch of \(key) does not apply: \(error.reason)")
      outputs.append(.update(key: key, .failed(problem)))
      throw problem
    }
  }

  private func cursor(of key: String, _ id: String?) -> SessionCursor? {
    guard let id, let tag = sessions[key]?.tag else { return nil }
    return CompositeID.cursor(of: tag, in: id)
  }

  /// Ends a session that was deleted; returns whether it was the last one.
  private mutating func end(_ key: String) -> Bool {
    sessions[key] = nil
    outputs.append(.update(key: key, .ended(.sessionEnded)))
    return sessions.isEmpty
  }

  private func isCurrent(_ number: Int) -> Bool {
    number == attempts.number && (phase == .connecting || phase == .live)
  }

  private mutating func isLive() {
    phase = .live
    attempts.succeed()
    set(.live)
  }

  private mutating func restart(at time: Duration) {
    restartsAt = min(restartsAt ?? time, time)
  }

  private mutating func set(_ status: ConnectionStatus) {
    guard status != self.status else { return }
    self.status = status
    outputs.append(.status(status))
  }

  private mutating func stop(_ phase: Phase) {
    if self.phase == .connecting || self.phase == .live { outputs.append(.close) }
    self.phase = phase
    restartsAt = nil
  }

  private mutating func fail(_ problem: Problem, _ now: Duration) {
    let pause = attempts.fail(problem, random: random())
    guard !sessions.isEmpty else { return stop(.idle) }
    stop(.waiting(until: now + pause))
    set(.reconnecting(problem))
  }

  /// Reopens the stream with a new token: immediately, or after a pause if the last attempt failed
  /// as well.
  private mutating func reopenWithNewToken(_ now: Duration) {
    stop(.waiting(until: now + attempts.failWithToken(random: random())))
  }

  /// Retains half of the sessions and drops the others.
  private mutating func divide(_ now: Duration) {
    capacity = max(1, sessions.count / 2)
    let surplus = Array(sessions.keys.sorted()[capacity...])
    for key in surplus { sessions[key] = nil }
    outputs.append(.overflow(surplus))
    stop(.waiting(until: now))
  }

  private mutating func open(_ now: Duration) {
    guard !sessions.isEmpty else { return stop(.idle) }
    stop(.connecting)
    attempts.begin(now: now)
    for key in sessions.keys { sessions[key]?.select() }
    openTopics = sessions.values.reduce(into: []) { $0.formUnion($1.topics) }
    outputs.append(.open(request, stream: attempts.number))
  }

  private var request: TransportRequest {
    let keys = sessions.keys.sorted()
    var path = "v1/events?delta=patch&activity=true" + openTopics.query
    if let name { path += "&name=" + name.percentEncoded }
    for key in keys { path += "&session=" + key.percentEncoded }
    let selections = keys.compactMap { sessions[$0]?.selection }
    if selections.contains(where: { $0 != .whole }) {
      for selection in selections { path += "&select=" + selection.parameter.percentEncoded }
    }
    var fields: [TransportRequest.Field] = [.init("Accept", "text/event-stream")]
    let held = keys.compactMap { key in
      sessions[key].flatMap { copy in copy.held.map { (copy.tag, $0.cursor) } }
    }
    if !held.isEmpty { fields.append(.init("Last-Event-ID", CompositeID.text(held))) }
    // The timeout is long because the machine itself detects a silent stream.
    return TransportRequest("GET", path, fields: fields, timeout: .seconds(3600 * 4))
  }

  private mutating func taken() -> [Output] {
    defer { outputs = [] }
    return outputs
  }
}

extension Activity {
  fileprivate init(_ json: JSONElement) {
    self.init(
      running: json["running"]?.number?.integer(as: Int.self) ?? 0,
      progress: json["progress"]?.number?.double)
  }
}
