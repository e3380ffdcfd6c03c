internal import ReactorHTTP

/// Where the answer to one request is, between the worker thread that asked for it and whichever
/// thread gives it.
///
/// ```
/// responding ──answer──▶ answered ──take──▶ finished
///     │                     ▲                  ▲
///   wait                  answer             end (the connection is gone)
///     ▼                     │
///  waiting ─────────────────┘ and the worker is told, once
/// ```
///
/// Pure: it calls nobody. The caller does what a method returns, outside of its lock.
struct AnswerState {
  private enum Phase {
    /// The responder was asked; the worker has not turned away.
    case responding
    /// The worker has turned away, and looks again when it is told.
    case waiting
    /// The answer waits for the worker.
    case answered(HTTPResponse)
    /// The worker leaves the connection to a stream loop once libmicrohttpd has let go of it.
    case handingOff(HandOff)
    /// Nothing more to do; a later answer is too late.
    case finished
  }

  /// What whoever gave an answer has to do.
  enum AnswerEffect {
    /// Nothing: the worker is still there and will look.
    case keep
    /// Tell the worker: this call is the one that must.
    case tell
    /// Let go of this response, nobody will send it.
    case discard(HTTPResponse)
  }

  /// What is left when the request ends.
  enum Remainder {
    case nothing
    case handOff(HandOff)
    case unsent(HTTPResponse)
  }

  private var phase = Phase.responding

  /// Whether an answer would be taken.
  var isUnanswered: Bool {
    switch phase {
    case .responding, .waiting: true
    case .answered, .handingOff, .finished: false
    }
  }

  /// The answer is here.
  ///
  /// Only the first one counts.
  mutating func answer(_ response: HTTPResponse) -> AnswerEffect {
    switch phase {
    case .responding:
      phase = .answered(response)
      return .keep
    case .waiting:
      phase = .answered(response)
      return .tell
    case .answered, .handingOff, .finished:
      return .discard(response)
    }
  }

  /// The worker looks for the answer.
  mutating func take() -> HTTPResponse? {
    guard case .answered(let response) = phase else { return nil }
    phase = .finished
    return response
  }

  /// The worker is about to turn away.
  ///
  /// True when the answer came in the meantime, so that it need not.
  mutating func wait() -> Bool {
    switch phase {
    case .responding:
      phase = .waiting
      return false
    case .waiting, .answered, .handingOff, .finished:
      return true
    }
  }

  /// The worker will let the connection go to a loop.
  mutating func handOff(_ handOff: HandOff) { phase = .handingOff(handOff) }

  /// libmicrohttpd is done with the request, for whatever reason.
  mutating func end() -> Remainder {
    defer { phase = .finished }
    switch phase {
    case .responding, .waiting, .finished: return .nothing
    case .answered(let response): return .unsent(response)
    case .handingOff(let handOff): return .handOff(handOff)
    }
  }
}
