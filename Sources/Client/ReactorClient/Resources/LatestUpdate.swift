internal import ClientCore
internal import Synchronization

/// The update and the problem that wait for a busy subscriber; a later update replaces an earlier one.
///
/// One thread at a time delivers: the one whose call of ``put(_:)`` or ``end(_:)`` returns `true`, until ``take()``
/// returns `nil`.
final class LatestUpdate<Update: Sendable>: Sendable {
  private struct Contents: Sendable {
    var update: Update?
    var problem: Problem?
    /// Whether a thread is delivering.
    var isDelivering = false
  }

  private let contents = Mutex(Contents())

  /// Replaces the waiting update, and returns whether the caller has to deliver.
  func put(_ update: Update) -> Bool { change { $0.update = update } }

  /// Ends the stream after the waiting update, and returns whether the caller has to deliver.
  func end(_ problem: Problem) -> Bool { change { $0.problem = problem } }

  private func change(_ body: (inout Contents) -> Void) -> Bool {
    contents.withLock { contents in
      body(&contents)
      defer { contents.isDelivering = true }
      return !contents.isDelivering
    }
  }

  /// Returns what waits, or `nil` for nothing: the caller delivers no longer.
  func take() -> (update: Update?, problem: Problem?)? {
    contents.withLock { contents in
      let next = (update: contents.update.take(), problem: contents.problem.take())
      guard next.update == nil, next.problem == nil else { return next }
      contents.isDelivering = false
      return nil
    }
  }
}
