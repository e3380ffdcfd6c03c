internal import ReactorLog
internal import Synchronization
internal import SystemThreads

/// The requests to confirm the end of one session's log.
///
/// Requests that arrive while a confirmation is in progress share the next one, and at most one
/// begins per second: each appends a message to the log, and every client with the right to read
/// can cause one.
final class EndConfirmations: Sendable {
  /// A request of a session in memory.
  struct Request: Sendable {
    let epoch: String
    /// Returns the last version of the session whose append has completed.
    let version: @Sendable () -> Int
    let completion: @Sendable (Result<Void, LogError>) -> Void
  }

  /// The minimum time between the starts of two confirmations, in milliseconds.
  private static let interval: Int64 = 1_000

  private struct State {
    var waiting: [Request] = []
    var isRunning = false
    var begunAt: Int64?
  }

  private let state = Mutex(State())
  private let executor: LogExecutor

  init(_ executor: LogExecutor) {
    self.executor = executor
  }

  /// Adds a request; it is completed by a confirmation that begins later, on the concurrent queue.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - confirm: Returns an end of the log that was confirmed after the call.
  func add(
    _ request: Request,
    _ confirm: @escaping @Sendable () async throws(LogError) -> SessionHead
  ) {
    let isFirst = state.withLock { state in
      state.waiting.append(request)
      defer { state.isRunning = true }
      return !state.isRunning
    }
    guard isFirst else { return }
    executor.detach { [self] in
      while let pause = pause() {
        if pause > 0 { try? await Task.sleep(for: .milliseconds(pause)) }
        let requests = begin()
        let result = await Self.result(of: confirm)
        for request in requests {
          executor.complete { request.complete(with: result) }
        }
      }
    }
  }

  /// The time until the next confirmation begins, or `nil` if none is requested.
  private func pause() -> Int64? {
    state.withLock { state in
      state.isRunning = !state.waiting.isEmpty
      guard state.isRunning else { return nil }
      return state.begunAt.map { max(0, $0 + Self.interval - Clock.milliseconds) } ?? 0
    }
  }

  private func begin() -> [Request] {
    state.withLock { state in
      defer { state.waiting = [] }
      state.begunAt = Clock.milliseconds
      return state.waiting
    }
  }

  private static func result(
    of confirm: @Sendable () async throws(LogError) -> SessionHead
  ) async -> Result<SessionHead, LogError> {
    do throws(LogError) {
      return .success(try await confirm())
    } catch {
      if case .lost = error { return .failure(error) }
      // An unknown outcome and a full store are reported like other errors: the message changes
      // nothing.
      return .failure(.unavailable("The end of the log is not confirmed: \(error.reason)"))
    }
  }
}

extension EndConfirmations.Request {
  /// Compares the session in memory with the end of the log.
  ///
  /// The version in memory can be higher: later appends of the session can have completed
  /// meanwhile.
  fileprivate func complete(with result: Result<SessionHead, LogError>) {
    completion(
      result.flatMap { head in
        let isComplete =
          switch head.status {
          case .none: true
          case .ended: false
          case .stored: head.epoch == epoch && head.version <= version()
          }
        return isComplete ? .success(()) : .failure(.lost(to: head.writer.map { NodeID($0) }))
      })
  }
}
