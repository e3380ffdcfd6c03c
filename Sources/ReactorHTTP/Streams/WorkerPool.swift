internal import Dispatch
internal import ReactorStreams
internal import Synchronization

/// Executes work that would block a request worker or a stream loop: reading from disk, comparing,
/// folding and compressing large States.
///
/// Jobs are executed in the order of their arrival on at most `width` threads, which exist only
/// while there are jobs. A stream, a channel and a request enqueue their next job after the previous
/// one, so that the queue is bounded by their number.
final class WorkerPool: Sendable {
  typealias Job = @Sendable () -> Void

  private struct State {
    var pending = Fifo<Job>()
    var running = 0
  }

  private let width: Int
  private let state = Mutex(State())
  private let threads = DispatchQueue(label: "http.background", attributes: .concurrent)

  /// Creates a pool.
  ///
  /// - Parameter width: The most threads. With 0, callers execute their jobs themselves.
  init(width: Int) {
    self.width = width
  }

  /// Enqueues a job.
  func run(_ job: @escaping Job) {
    guard width > 0 else { return job() }
    let needsThread = state.withLock { state in
      state.pending.append(job)
      guard state.running < width else { return false }
      state.running += 1
      return true
    }
    if needsThread { threads.async { self.drain() } }
  }

  private func drain() {
    while let job = next() { job() }
  }

  private func next() -> Job? {
    state.withLock { state in
      guard let job = state.pending.popFirst() else {
        state.running -= 1
        return nil
      }
      return job
    }
  }
}
