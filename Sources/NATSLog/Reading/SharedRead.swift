internal import ReactorLog
internal import Synchronization

/// A read of the log that several requests need at the same time: the first one executes it, the others wait
/// for its end.
final class SharedRead: Sendable {
  /// The requests that wait, or `nil` if no read is under way.
  private let waiting = Mutex<[CheckedContinuation<Result<Void, LogError>, Never>]?>(nil)

  /// Executes the read, or waits for the one that is under way.
  func join(_ read: () async throws(LogError) -> Void) async throws(LogError) {
    let isFirst = waiting.withLock { waiting in
      defer { waiting = waiting ?? [] }
      return waiting == nil
    }
    guard isFirst else { return try await waitForEnd().get() }
    let result: Result<Void, LogError>
    do throws(LogError) {
      try await read()
      result = .success(())
    } catch {
      result = .failure(error)
    }
    let others = waiting.withLock { waiting in
      defer { waiting = nil }
      return waiting ?? []
    }
    for other in others { other.resume(returning: result) }
    try result.get()
  }

  /// Waits for the read in progress, and returns its result; a success if there is none.
  private func waitForEnd() async -> Result<Void, LogError> {
    await withCheckedContinuation { continuation in
      let hasEnded = waiting.withLock { waiting in
        waiting?.append(continuation)
        return waiting == nil
      }
      if hasEnded { continuation.resume(returning: .success(())) }
    }
  }
}
