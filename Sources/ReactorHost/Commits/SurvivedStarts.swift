internal import ReactorLog
internal import Synchronization

/// The interrupted requests that this process has started.
///
/// A start counts because it may end its process, and this process has survived these. Without them, two
/// nodes that take a session over from each other again and again would reach
/// ``HostSettings/runLimit``, and give up actions that no process has failed to execute.
final class SurvivedStarts: Sendable {
  private struct Start: Hashable {
    let session: SessionKey
    let request: Int
  }

  /// The number of requests that are remembered.
  ///
  /// Beyond it all are forgotten, and the next start of each counts.
  static let bound = 10_000

  private let starts = Mutex<Set<Start>>([])

  /// Remembers that this process starts a request.
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
