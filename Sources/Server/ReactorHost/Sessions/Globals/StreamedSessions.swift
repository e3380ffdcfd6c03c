internal import ReactorLog
internal import Synchronization

/// The sessions of one reactor that have streams and are to be created, since a global was set.
///
/// They are created on the queue of loads, one after the other, so that neither the thread that sets the
/// global nor other loads wait for all of them.
final class StreamedSessions: Sendable {
  private struct State {
    var ids: ArraySlice<String> = []
    /// Whether a task creates the sessions.
    var isCreating = false

    /// Dequeues the next session, or returns `nil` if there is none.
    mutating func takeNext() -> String? {
      let next = ids.popFirst()
      isCreating = next != nil
      return next
    }
  }

  private let state = Mutex(State())

  /// Creates sessions, in place of those of an earlier call that were not created yet.
  ///
  /// - Parameters:
  ///   - ids: The ids of all sessions that have streams but do not exist.
  ///   - queue: Executes the loads.
  ///   - create: Creates a session.
  func create(
    _ ids: [String], on queue: HostedSessions, _ create: @escaping @Sendable (String) async -> Void
  ) {
    let isFirst = state.withLock { state in
      state.ids = ids[...]
      guard !ids.isEmpty, !state.isCreating else { return false }
      state.isCreating = true
      return true
    }
    guard isFirst else { return }
    queue.enqueue { [self] in
      while let id = state.withLock({ $0.takeNext() }) {
        await create(id)
        await Task.yield()
      }
    }
  }
}
