internal import ReactorLog
internal import Synchronization

/// The interrupted requests that this process has started.
///
/// A start counts towards ``HostSettings/runLimit`` because the action may end its process. These
/// starts have not ended this process, so a repetition of them does not count. Otherwise, two nodes
/// that repeatedly take a session over from each other would reach the limit and give up its
/// actions, although no process has ended.
final class SurvivedStarts: Sendable {
  private struct Start: Hashable {
    let session: SessionKey
    let request: Int
  }

  /// The maximum number of stored requests.
  ///
  /// A further request removes all others, so that the next start of each of them counts.
  static let bound = 10_000

  private let starts = Mutex<Set<Start>>([])

  /// Records that this process starts a request.
  ///
  /// - Parameters:
  ///   - request: The number of the request in the journal.
  ///   - session: The session.
  /// - Returns: Whether it is the first start of this process.
  func insert(request: Int, of session: SessionKey) -> Bool {
    starts.withLock { starts in
      let start = Start(session: session, request: request)
      guard !starts.contains(start) else { return false }
      if starts.count >= Self.bound { starts = [] }
      starts.insert(start)
      return true
    }
  }
}
