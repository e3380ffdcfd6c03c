internal import ReactorCoding

/// Sends the actions of one session in order, and repeats each action until it has a final
/// response.
///
/// ```
///   queued ──▶ sent ──▶ final response: removed
///     ▲          │
///     └─ pause ──┘ no response, 429, 503, action-running: repeated with the same key
/// ```
///
/// An action that no caller awaits is also repeated while an untrusted certificate, a missing token, or a
/// proxy or a network that responds with a page of its own prevents the request from reaching the server.
///
/// An action is sent when the previous one has a final response. An action whose effects are
/// awaited delays the next action by at most ``overtakingTime``: after that time without a
/// response, the queue assumes that the server has received it.
///
/// A value without side effects, like ``StreamMachine``.
package struct ActionQueue: Sendable {
  /// The result of one attempt.
  package enum Attempt: Sendable {
    /// A response with any status.
    case response(TransportResponse)

    /// No response.
    case failure(Problem)
  }

  /// The end of an action.
  package enum Outcome: Sendable {
    case success(TransportResponse)
    case failure(Problem)
  }

  /// An action of an earlier process.
  package struct Restored: Sendable {
    /// The action.
    package var action: PendingAction

    /// When that process sent it first, or `nil` if it did not.
    package var firstSentAt: Duration?

    /// Creates a restored action.
    package init(action: PendingAction, firstSentAt: Duration?) {
      self.action = action
      self.firstSentAt = firstSentAt
    }
  }

  private enum Step: Sendable {
    case queued
    case sent(at: Duration)
    case pausing(until: Duration)
  }

  private struct Entry: Sendable {
    var action: PendingAction
    var step = Step.queued
    var schedule = RetrySchedule()
    /// When the first attempt began; the server stores its response for a limited time.
    var firstSentAt: Duration?
    /// When the sender gives up, or `nil` for never.
    var expiresAt: Duration?
  }

  /// The time after which the server is assumed to have received a request that has no response
  /// yet.
  package static let overtakingTime = Duration.milliseconds(250)

  /// The time after its first attempt during which an action is repeated.
  ///
  /// Shorter than `actions.idempotency` (24 h), the time for which the server executes a repeated
  /// action once.
  package static let memory = Duration.seconds(23 * 3600)

  /// The maximum number of actions without a final response, beyond which none is appended.
  package let bound: Int

  /// The problem of the last attempt that failed, or `nil` before the first one.
  package private(set) var problem: Problem?

  private var entries: [Entry] = []
  private let random: @Sendable () -> Double

  /// Creates a queue.
  package init(
    bound: Int, random: @escaping @Sendable () -> Double = { .random(in: 0...1) }
  ) {
    self.bound = bound
    self.random = random
  }

  /// The actions without a final response, in order.
  package var actions: [PendingAction] { entries.map(\.action) }

  /// Whether every action has a final response.
  package var isEmpty: Bool { entries.isEmpty }

  /// When to call ``next(now:)`` and ``expired(now:)``, or `nil` for never.
  package var deadline: Duration? {
    let times = entries.enumerated().flatMap { index, entry -> [Duration] in
      var times = entry.expiresAt.map { [$0] } ?? []
      switch entry.step {
      case .queued: break
      case .pausing(let until): if index == sendableIndex { times.append(until) }
      case .sent(let time):
        if entry.action.expectation == .effects, index + 1 < entries.count {
          times.append(time + Self.overtakingTime)
        }
      }
      return times
    }
    return times.min()
  }

  private var sendableIndex: Int? {
    entries.firstIndex { if case .sent = $0.step { false } else { true } }
  }

  /// Adds an action at the end.
  ///
  /// - Parameters:
  ///   - action: The action.
  ///   - expiresAt: When the sender gives up.
  /// - Returns: Whether there was room.
  package mutating func append(_ action: PendingAction, expiresAt: Duration? = nil) -> Bool {
    guard entries.count < bound else { return false }
    entries.append(Entry(action: action, expiresAt: expiresAt))
    return true
  }

  /// Adds the actions of an earlier process in their order, before the actions that wait.
  ///
  /// They are also added beyond the bound, which limited them when they were sent.
  package mutating func restore(_ actions: [Restored]) {
    let restored = actions.map { Entry(action: $0.action, firstSentAt: $0.firstSentAt) }
    entries.insert(contentsOf: restored, at: sendableIndex ?? entries.endIndex)
  }

  /// Returns the next action to send; call it until it returns `nil`.
  package mutating func next(now: Duration) -> (action: PendingAction, isFirstAttempt: Bool)? {
    for index in entries.indices {
      switch entries[index].step {
      case .sent(let time):
        guard entries[index].action.expectation == .effects, now >= time + Self.overtakingTime
        else { return nil }
      case .pausing(let until) where now < until: return nil
      case .queued, .pausing:
        let isFirst = entries[index].firstSentAt == nil
        entries[index].step = .sent(at: now)
        if isFirst { entries[index].firstSentAt = now }
        return (entries[index].action, isFirst)
      }
    }
    return nil
  }

  /// Records the result of an attempt; returns the outcome if it is final.
  package mutating func ended(_ id: UInt64, _ attempt: Attempt, now: Duration) -> Outcome? {
    guard let index = entries.firstIndex(where: { $0.action.id == id }) else { return nil }
    switch attempt {
    case .failure(let problem): return failed(index, problem, now)
    case .response(let response):
      let status = response.head.status
      guard (200..<300).contains(status) else { return failed(index, Problem(response), now) }
      // The response of the server has a cursor, and JSON or nothing; that of a proxy or the log-in page
      // of a network does not.
      let isEmpty = response.body.isEmpty && response.head["content-type"] == nil
      guard response.head.cursor != nil,
        response.hasJSON ? [200, 202].contains(status) : isEmpty && [202, 204].contains(status)
      else { return failed(index, .noCursor, now) }
      guard status == 202, entries[index].action.expectation == .effects else {
        entries.remove(at: index)
        return .success(response)
      }
      // The effect runs longer than one request waits: repeat the request immediately.
      entries[index].step = .pausing(until: now)
      return nil
    }
  }

  private mutating func failed(_ index: Int, _ problem: Problem, _ now: Duration) -> Outcome? {
    self.problem = problem
    guard problem.isTransient || problem.isObstacle && !entries[index].action.isAwaited else {
      entries.remove(at: index)
      return .failure(problem)
    }
    let pause = entries[index].schedule.fail(retryAfter: problem.retryAfter, random: random())
    entries[index].step = .pausing(until: now + pause)
    return nil
  }

  /// Removes an action that its sender cancelled; returns whether it was in the queue.
  package mutating func cancel(_ id: UInt64) -> Bool {
    guard let index = entries.firstIndex(where: { $0.action.id == id }) else { return false }
    entries.remove(at: index)
    return true
  }

  /// Removes the actions whose time has passed, and returns them.
  package mutating func expired(now: Duration) -> [PendingAction] {
    let isExpired = { (entry: Entry) in
      if let time = entry.expiresAt, now >= time { return true }
      guard let time = entry.firstSentAt else { return false }
      // The server may no longer store the response to the first attempt: a repetition could
      // execute the action twice.
      return now >= time + Self.memory
    }
    let expired = entries.filter(isExpired).map(\.action)
    if !expired.isEmpty { entries.removeAll(where: isExpired) }
    return expired
  }

  /// Ends all pauses, for example when the network is available again.
  package mutating func retryNow() {
    for index in entries.indices {
      if case .pausing = entries[index].step { entries[index].step = .queued }
    }
  }
}

extension Problem {
  fileprivate static let noCursor = Problem(
    .notAServer, "The address responds, but not as a reactord does",
    "The response to an action has no ETag. Check that the URL is that of a reactord, and that no proxy "
      + "and no log-in page of a network replaces its responses.")

  /// Whether something between the client and the server prevented the request from reaching the
  /// server.
  fileprivate var isObstacle: Bool {
    [.untrustedCertificate, .notAServer, .noToken].contains(kind)
  }
}

extension ActionQueue.Outcome {
  /// The cursor of the session in the response.
  package var cursor: SessionCursor? {
    if case .success(let response) = self { response.head.cursor } else { nil }
  }

  /// The State in the response.
  package var state: SessionState? {
    guard case .success(let response) = self, !response.body.isEmpty,
      let cursor = response.head.cursor,
      let document = try? JSONDocument(parsing: response.body)
    else { return nil }
    return SessionState(.document(document), cursor)
  }
}
