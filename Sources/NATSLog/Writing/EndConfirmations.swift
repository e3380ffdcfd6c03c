internal import ReactorLog
internal import Synchronization
internal import SystemThreads

/// The requests to confirm the end of one session's log.
///
/// Those that arrive while a confirmation is under way share the next one, and at most one begins per
/// second: each is a message of the log, which clients with the right to read can cause.
final class EndConfirmations: Sendable {
  /// A request of a session in memory.
  struct Request: Sendable {
    let epoch: String
    /// Returns the last version of the session whose append has completed.
    let version: @Sendable () -> Int
    let completion: @Sendable (Result<Void, LogError>) -> Void
  }

  /// The least time between the beginnings of two confirmations, in milliseconds.
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

  /// The time until the next confirmation begins; `nil` if none is requested.
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
      // The same if the outcome of the write is unknown, or the store is full: the write changes nothing.
      return .failure(.unavailable("The end of the log is not confirmed: \(error.reason)"))
    }
  }
}

extension EndConfirmations.Request {
  /// Compares the session in memory with the end of the log: its own later appends may have completed
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
