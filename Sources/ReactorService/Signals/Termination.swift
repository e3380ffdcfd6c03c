internal import Synchronization

/// The one moment at which the process is asked to end, for all who have to do with it.
///
/// Any thread may call any method.
public final class Termination: Sendable {
  private enum State {
    case running(waiting: [@Sendable () -> Void])
    case requested
  }

  private let state = Mutex(State.running(waiting: []))

  /// Makes a termination that was not requested yet.
  public init() {}

  /// Asks for the end; only the first call has an effect.
  ///
  /// What waits is called on this thread, in the order in which it came.
  public func request() {
    let waiting = state.withLock { state in
      guard case .running(let waiting) = state else { return [@Sendable () -> Void]() }
      state = .requested
      return waiting
    }
    for action in waiting { action() }
  }

  /// Whether the end was asked for.
  public var isRequested: Bool {
    state.withLock { state in
      if case .requested = state { true } else { false }
    }
  }

  /// Calls `action` once when the end is asked for; at once, on this thread, when it was already.
  public func whenRequested(_ action: @escaping @Sendable () -> Void) {
    let isLate = state.withLock { state in
      guard case .running(var waiting) = state else { return true }
      waiting.append(action)
      state = .running(waiting: waiting)
      return false
    }
    if isLate { action() }
  }

  /// Returns when the end is asked for; cancellation does not end the waiting.
  public func requested() async {
    await withCheckedContinuation { continuation in
      whenRequested { continuation.resume() }
    }
  }
}
