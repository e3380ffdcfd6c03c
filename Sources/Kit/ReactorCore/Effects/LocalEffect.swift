package import ReactorStreams
internal import Synchronization

/// The effects of a send, or of one of its actions: calls its completion once, when all have ended.
package final class LocalEffect: TrackedEffect {
  private struct State {
    var running = 0
    var failure: (any Error)?
    var completion: (@Sendable ((any Error)?) -> Void)?
    var timeout: (any Disposable)?
  }

  private let state: Mutex<State>

  package init(_ completion: @escaping @Sendable ((any Error)?) -> Void) {
    state = Mutex(State(completion: completion))
  }

  package func begin() { state.withLock { $0.running += 1 } }

  /// An effect continues after the response.
  package func answer(then continuation: @escaping @Sendable () -> Void) {
    complete()
    continuation()
  }

  package func end(_ error: (any Error)?) {
    let isLast = state.withLock { state in
      state.running -= 1
      state.failure = state.failure ?? error
      return state.running == 0
    }
    if isLast { complete() }
  }

  /// Calls the completion with the first error.
  package func complete() {
    let (completion, failure, timeout) = state.withLock { state in
      (state.completion.take(), state.failure, state.timeout.take())
    }
    timeout?.dispose()
    completion?(failure)
  }

  /// Calls the completion with an error, although effects are running.
  package func fail(_ error: any Error) {
    state.withLock { $0.failure = error }
    complete()
  }

  /// Calls the completion after a time, unless the effects end before.
  ///
  /// - Parameters:
  ///   - limit: The time.
  ///   - error: The error that the completion receives, or `nil` for the first error so far.
  ///   - timer: Measures the time.
  package func complete(
    after limit: Duration, with error: (any Error)? = nil, on timer: any SchedulerType
  ) {
    guard state.withLock({ $0.completion != nil }) else { return }
    let timeout = timer.schedule(after: limit) { [self] in
      if let error { fail(error) } else { complete() }
    }
    let isPending = state.withLock { state in
      if state.completion != nil { state.timeout = timeout }
      return state.completion != nil
    }
    if !isPending { timeout.dispose() }
  }
}
