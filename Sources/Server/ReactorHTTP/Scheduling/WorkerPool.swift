internal import Dispatch
internal import ReactorStreams
internal import ReactorTransport
internal import Synchronization

/// Executes work that would block a request worker or a stream loop: lists, metrics, large bodies,
/// reading from disk, encoding, comparing, folding and compressing large States.
///
/// At most `width` threads execute jobs; they exist only while there are jobs. Each client has a
/// queue of its own, and the queues take turns, so that a client with many jobs delays another one
/// by one job per client. A stream, a channel and a connection each have at most one job at a time,
/// so their number bounds the queues; ``enqueueIfRoom(for:_:)`` has bounds of its own.
final class WorkerPool: Sendable {
  typealias Job = @Sendable () -> Void

  /// The owner of a queue.
  enum Owner: Hashable, Sendable {
    /// The streams of all clients.
    case streams
    /// A session or global, for the views that many clients share.
    case source(ObjectIdentifier)
    /// A client, or `nil` for Unix-domain sockets.
    case client(ClientAddress?)
  }

  private let width: Int
  private let state = Mutex(FairJobs<Owner, Job>())
  private let threads = DispatchQueue(label: "http.background", attributes: .concurrent)

  /// Creates a pool.
  ///
  /// - Parameter width: The maximum number of threads. With 0, callers execute their jobs
  ///   themselves.
  init(width: Int) {
    self.width = width
  }

  func enqueue(for owner: Owner = .streams, _ job: @escaping Job) {
    guard width > 0 else { return job() }
    let needsThread = state.withLock { $0.append(job, of: owner, width: width) }
    if needsThread { threads.async { self.drain() } }
  }

  /// Enqueues a job unless too many jobs of its owner, or of all owners, are waiting; returns
  /// whether it was enqueued.
  func enqueueIfRoom(for owner: Owner, _ job: @escaping Job) -> Bool {
    guard width > 0 else {
      job()
      return true
    }
    let needsThread = state.withLock { state -> Bool? in
      guard state.pending < Limits.backgroundJobs,
        state.count(of: owner) < Limits.backgroundJobsPerClient
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
