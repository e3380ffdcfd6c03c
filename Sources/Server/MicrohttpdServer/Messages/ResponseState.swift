internal import ReactorTransport

/// The response to one request, between the worker thread that requested it and the thread that
/// provides it.
///
/// ```
/// responding ──respond──▶ ready ──take──▶ finished
///     │                     ▲                ▲
///   wait                 respond           end (the connection is closed)
///     ▼                     │
///  waiting ─────────────────┘ and the worker is notified, once
/// ```
///
/// Pure: a method returns the effect, and the caller carries it out after it has released its lock.
struct ResponseState {
  private enum Phase {
    /// The responder has the request; the worker has not started to wait.
    case responding
    /// The worker waits, and continues when it is notified.
    case waiting
    /// The response is ready for the worker.
    case ready(HTTPResponse)
    /// A stream loop adopts the connection once libmicrohttpd has released it.
    case handingOff(HandOff)
    /// A later response is discarded.
    case finished
  }

  /// The action that `respond(_:)` requires of its caller.
  enum Effect {
    /// Nothing: the worker checks for the response itself.
    case none
    /// Notify the worker.
    case notify
    /// Discard this response; it is not sent.
    case discard(HTTPResponse)
  }

  /// The hand-off or the unsent response that the caller must process when the request ends.
  enum Remainder {
    case nothing
    case handOff(HandOff)
    case unsent(HTTPResponse)
  }

  private var phase = Phase.responding

  /// Whether there is no response yet.
  var isPending: Bool {
    switch phase {
    case .responding, .waiting: true
    case .ready, .handingOff, .finished: false
    }
  }

  /// Stores the response, if it is the first one.
  mutating func respond(_ response: consuming HTTPResponse) -> Effect {
    switch phase {
    case .responding:
      phase = .ready(response)
      return .none
    case .waiting:
      phase = .ready(response)
      return .notify
    case .ready, .handingOff, .finished:
      return .discard(response)
    }
  }

  /// Removes and returns the response, if it is ready.
  mutating func take() -> HTTPResponse? {
    guard case .ready = phase else { return nil }
    var former = Phase.finished
    swap(&former, &phase)
    guard case .ready(let response) = consume former else { return nil }
    return response
  }

  /// Records that the worker waits for the response.
  ///
  /// - Returns: `false` if the response became ready in the meantime.
  mutating func wait() -> Bool {
    guard case .responding = phase else { return false }
    phase = .waiting
    return true
  }

  /// Stores the hand-off of a connection until libmicrohttpd has released the connection.
  mutating func handOff(_ handOff: HandOff) { phase = .handingOff(handOff) }

  /// Ends the request: libmicrohttpd has released it, with or without a response.
  mutating func end() -> Remainder {
    defer { phase = .finished }
    switch phase {
    case .responding, .waiting, .finished: return .nothing
    case .ready(let response): return .unsent(response)
    case .handingOff(let handOff): return .handOff(handOff)
    }
  }
}

extension HTTPResponse {
  /// Discards a response that is not sent: calls `closed()` on its stream.
  func discard() {
    if case .stream(let stream) = body { stream.closed() }
  }
}
