internal import Dispatch
internal import ReactorLog
internal import Synchronization

/// The delivery of a value to many sessions, in slices: the next one begins when the log has committed what the
/// one before has caused, so that the operations of others wait for one slice and not for all sessions.
final class Broadcast: Sendable {
  /// The most deliveries of a slice.
  static let sessionsPerSlice = 256

  /// The broadcast that this thread executes; `nil` within a turn, in which the thread must not wait.
  @TaskLocal static var current: Broadcast?

  private struct State {
    var slice = WorkSlice()
  }

  private let state = Mutex(State())

  /// Delivers to a session; after a slice, blocks the thread until the session has committed.
  func deliver(to session: LiveSession, _ body: () -> Void) {
    Self.$current.withValue(nil, operation: body)
    let bytes = WorkSlice.bytes / Self.sessionsPerSlice
    guard state.withLock({ $0.slice.isOver(after: bytes) }) else { return }
    let isCommitted = DispatchSemaphore(value: 0)
    session.whenCommitted { _ in isCommitted.signal() }
    isCommitted.wait()
    state.withLock { $0.slice = WorkSlice() }
  }
}
