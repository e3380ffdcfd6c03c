internal import ReactorCore
internal import ReactorStreams
internal import Shares

extension WorkerPool {
  /// Executes an `async` function on the threads of the pool.
  ///
  /// Each part between two suspensions is a job, which takes turns with the jobs of other clients. The
  /// function has the client's account and the virtual time of a test, and no other task-local value of the
  /// caller, as a job has none.
  ///
  /// - Parameters:
  ///   - owner: The client; by default that of the job that this thread executes.
  ///   - body: The function.
  package func start(
    for owner: WorkOwner = .current, _ body: @escaping @Sendable () async -> Void
  ) {
    let operation = Self.inheriting(body, by: owner)
    Task.detached(executorPreference: OwnedExecutor(pool: self, owner: owner)) {
      await operation()
    }
  }

  /// Executes an `async` function like ``start(for:_:)``, with its part before the first suspension on this
  /// thread.
  ///
  /// - Parameters:
  ///   - owner: The client.
  ///   - body: The function; before it reads from disk, it calls ``takeTurn(for:)``.
  package func begin(for owner: WorkOwner, _ body: @escaping @Sendable () async -> Void) {
    let operation = Self.inheriting(body, by: owner)
    Task.immediateDetached(executorPreference: OwnedExecutor(pool: self, owner: owner)) {
      await operation()
    }
  }

  /// Continues an `async` function on a thread of the pool, in turn with the work of other clients.
  package func takeTurn(for owner: WorkOwner = .current) async {
    await run(for: owner) {}
  }

  private static func inheriting(
    _ body: @escaping @Sendable () async -> Void, by owner: WorkOwner
  ) -> @Sendable () async -> Void {
    let account = Account.current
    let context = CurrentSerialContext.value
    let virtual = context?.timer is any VirtualWallClock ? context : nil
    return {
      await WorkOwner.$current.withValue(owner) {
        await Account.$current.withValue(account) {
          await CurrentSerialContext.$value.withValue(virtual) { await body() }
        }
      }
    }
  }

  /// Executes an `async` function on the threads of the pool, as a part of the task that calls it.
  ///
  /// - Parameters:
  ///   - owner: The client.
  ///   - body: The function, which inherits all task-local values, and whose child tasks use the pool as well.
  /// - Returns: The value that the function returns.
  package func run<Value: Sendable>(
    for owner: WorkOwner, _ body: @concurrent @Sendable () async -> Value
  ) async -> Value {
    await withTaskExecutorPreference(OwnedExecutor(pool: self, owner: owner)) {
      await WorkOwner.$current.withValue(owner) { await body() }
    }
  }
}

/// Executes the parts of a task as jobs of one client.
private final class OwnedExecutor: TaskExecutor {
  private let pool: WorkerPool
  private let owner: WorkOwner

  init(pool: WorkerPool, owner: WorkOwner) {
    (self.pool, self.owner) = (pool, owner)
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    // Proof: the runtime retains the job until it has run, and the job is run once.
    pool.enqueue(for: owner) { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
