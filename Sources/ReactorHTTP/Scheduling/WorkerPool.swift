internal import Dispatch
internal import ReactorStreams
internal import ReactorTransport
internal import Synchronization

/// Executes work that would block a request worker or a stream loop: lists, metrics, large bodies,
/// reading from disk, comparing, folding and compressing large States.
///
/// At most `width` threads execute jobs, and exist only while there are jobs. Each client has a queue
/// of its own, and the queues take turns, so that a client with many jobs delays another one by one
/// job per client. A stream, a channel and a connection enqueue their next job after the previous one,
/// which bounds the queues by their number; ``enqueueIfRoom(for:_:)`` has bounds of its own.
final class WorkerPool: Sendable {
  typealias Job = @Sendable () -> Void

  /// The owner of a queue.
  enum Owner: Hashable, Sendable {
    /// The streams of all clients.
    case streams
    /// A client; `nil` for Unix-domain sockets.
    case client(ClientAddress?)
  }

  fileprivate struct State {
    /// The jobs of each owner; none of the queues is empty.
    var queues: [Owner: Fifo<Job>] = [:]
    /// The owners of the queues, the next one first.
    var turns = Fifo<Owner>()
    var pending = 0
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
  func enqueue(for owner: Owner = .streams, _ job: @escaping Job) {
    guard width > 0 else { return job() }
    let needsThread = state.withLock { $0.append(job, of: owner, width: width) }
    if needsThread { threads.async { self.drain() } }
  }

  /// Enqueues a job unless its owner, or all of them, have too many; returns whether it was enqueued.
  func enqueueIfRoom(for owner: Owner, _ job: @escaping Job) -> Bool {
    guard width > 0 else {
      job()
      return true
    }
    let needsThread = state.withLock { state -> Bool? in
      guard state.pending < Limits.backgroundJobs,
        state.queues[owner]?.count ?? 0 < Limits.backgroundJobsPerClient
      else { return nil }
      return state.append(job, of: owner, width: width)
    }
    if needsThread == true { threads.async { self.drain() } }
    return needsThread != nil
  }

  private func drain() {
    while let job = next() { job() }
  }

  private func next() -> Job? {
    state.withLock { $0.next() }
  }
}

extension WorkerPool.State {
  /// Adds a job; returns whether it needs another thread.
  fileprivate mutating func append(
    _ job: @escaping WorkerPool.Job, of owner: WorkerPool.Owner, width: Int
  ) -> Bool {
    if queues[owner] == nil { turns.append(owner) }
    queues[owner, default: Fifo()].append(job)
    pending += 1
    guard running < width else { return false }
    running += 1
    return true
  }

  /// Removes the next job; without one, the thread ends.
  fileprivate mutating func next() -> WorkerPool.Job? {
    guard let owner = turns.popFirst(), let job = queues[owner]?.popFirst() else {
      running -= 1
      return nil
    }
    pending -= 1
    if queues[owner]?.isEmpty == false { turns.append(owner) } else { queues[owner] = nil }
    return job
  }
}
