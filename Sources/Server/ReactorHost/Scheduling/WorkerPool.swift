internal import Dispatch
internal import Shares
internal import Synchronization

/// Executes work that would block a request worker, a stream loop or the thread that completes commits:
/// lists, metrics, large bodies, reading from disk, encoding, comparing, folding and compressing large
/// States.
///
/// At most `width` threads execute jobs; they exist only while there are jobs, and requests and commits have
/// priority over them. Each client has a
/// queue of its own, and the queues take turns, so that a client with many jobs delays another one
/// by one job per client. A long job is a loop that enqueues its rest after each ``WorkSlice``. A stream, a channel and a connection each have at most one job at a time,
/// so their number bounds the queues.
package final class WorkerPool: Sendable {
  package typealias Job = @Sendable () -> Void

  private let width: Int
  private let jobs: Mutex<FairQueue<WorkOwner, Job>>
  private let start: @Sendable (@escaping Job) -> Void

  /// Creates a pool.
  ///
  /// - Parameters:
  ///   - width: The maximum number of threads. With 0, callers execute their jobs themselves.
  ///   - name: The name of its threads.
  ///   - start: Starts a thread; by default one of Dispatch.
  package init(
    width: Int, named name: String = "background", start: (@Sendable (@escaping Job) -> Void)? = nil
  ) {
    self.width = width
    jobs = Mutex(FairQueue(width: width))
    let threads = DispatchQueue(label: name, attributes: .concurrent)
    self.start = start ?? { threads.async(execute: $0) }
  }

  /// Enqueues a job.
  ///
  /// - Parameters:
  ///   - owner: The client; by default that of the job that this thread executes.
  ///   - job: The job.
  package func enqueue(for owner: WorkOwner = .current, _ job: @escaping Job) {
    guard width > 0 else { return job() }
    let next = jobs.withLock { jobs in
      jobs.append(job, of: owner)
      return jobs.begin()
    }
    if let next { start { self.execute(next) } }
  }

  /// Whether no job runs or waits.
  package var isIdle: Bool { jobs.withLock { $0.isIdle } }

  private func execute(_ first: (owner: WorkOwner, job: Job)) {
    var next: (owner: WorkOwner, job: Job)? = first
    while let (owner, job) = next {
      WorkOwner.$current.withValue(owner) { job() }
      next = jobs.withLock { jobs in
        jobs.end(owner)
        return jobs.begin()
      }
    }
  }
}
