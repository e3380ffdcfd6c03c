internal import Synchronization

/// The sessions of one reactor that have streams and are to be created, since a global was set.
///
/// They are created in portions on the queue of loads, so that neither the thread that sets the
/// global nor other loads wait for all of them.
final class StreamedSessions: Sendable {
  private struct State {
    var ids: ArraySlice<String> = []
    /// Whether a portion is enqueued or being created.
    var isScheduled = false

    /// Dequeues the next portion, or returns `nil` if there is none.
    mutating func takePortion() -> ArraySlice<String>? {
      guard !ids.isEmpty else {
        isScheduled = false
        return nil
      }
      defer { ids = ids.dropFirst(StreamedSessions.portion) }
      return ids.prefix(StreamedSessions.portion)
    }
  }

  /// The number of sessions that are created before other loads.
  private static let portion = 64

  private let state = Mutex(State())

  /// Creates sessions, in place of those of an earlier call that were not created yet.
  ///
  /// - Parameters:
  ///   - ids: The ids of all sessions that have streams but do not exist.
  ///   - queue: Executes the loads.
  ///   - create: Creates a session, on the queue.
  func create(
    _ ids: [String], on queue: HostedSessions, _ create: @escaping @Sendable (String) -> Void
  ) {
    let isFirst = state.withLock { state in
      guard !ids.isEmpty || state.isScheduled else { return false }
      state.ids = ids[...]
      defer { state.isScheduled = true }
      return !state.isScheduled
    }
    if isFirst { createPortion(on: queue, create) }
  }

  private func createPortion(
    on queue: HostedSessions, _ create: @escaping @Sendable (String) -> Void
  ) {
    queue.enqueue { [self] in
      guard let portion = state.withLock({ $0.takePortion() }) else { return }
      for id in portion { create(id) }
      createPortion(on: queue, create)
    }
  }
}
