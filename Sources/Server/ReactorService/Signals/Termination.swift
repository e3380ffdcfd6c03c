internal import Synchronization

/// A one-time request to end the process.
///
/// All methods may be called on any thread.
public final class Termination: Sendable {
  private enum State {
    case running(waiting: [@Sendable () -> Void])
    case requested
  }

  private let state = Mutex(State.running(waiting: []))

  /// Creates a termination that is not requested yet.
  public init() {}

  /// Requests the end; only the first call has an effect.
  ///
  /// Registered actions are called on this thread in the order of their registration.
  public func request() {
    let waiting = state.withLock { state in
      guard case .running(let waiting) = state else { return [@Sendable () -> Void]() }
      state = .requested
      return waiting
    }
    for action in waiting { action() }
  }

  /// Whether the end was requested.
  public var isRequested: Bool {
    state.withLock { state in
      if case .requested = state { true } else { false }
    }
  }

  /// Calls `action` once when the end is requested; immediately if it already was.
  public func whenRequested(_ action: @escaping @Sendable () -> Void) {
    let isLate = state.withLock { state in
      guard case .running(var waiting) = state else { return true }
      waiting.append(action)
      state = .running(waiting: waiting)
      return false
    }
    if isLate { action() }
  }

  /// Waits until the end is requested; cancellation has no effect.
  public func requested() async {
    await withCheckedContinuation { continuation in
      whenRequested { continuation.resume() }
    }
  }
}
