#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

// A class instead of a protocol: a generic job needs no lookup of its witness table.
//
// Proof: it has no property; each subclass proves those that it adds.
/// A unit of work that a trampoline executes on its thread.
@usableFromInline
package class TrampolineJob: @unchecked Sendable {
  @usableFromInline
  init() {}

  /// Executes the work.
  ///
  /// A job that was disposed of does nothing.
  @usableFromInline
  package func execute() {}
}

/// The work queue of one thread.
///
/// Work that is scheduled while a subscription is being set up is executed after the setup, in the
/// order in which it was scheduled. The outermost subscription on a thread starts the trampoline
/// and drains it before it returns. While other jobs wait, a synchronous source enqueues one job
/// per element, so that the elements of several sources alternate.
package final class Trampoline {
  // Unchecked exclusivity: each access is a load, a store, or one call of the queue, which calls no
  // other code.
  /// Whether jobs are enqueued instead of executed immediately.
  @safe @exclusivity(unchecked) private(set) package var isRunning = false

  @safe @exclusivity(unchecked) private var jobs = TrampolineJobs()

  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    #if canImport(Darwin)
      let code = unsafe pthread_key_create(&key) {
        unsafe Unmanaged<Trampoline>.fromOpaque($0).release()
      }
    #else
      let code = unsafe pthread_key_create(&key) { trampoline in
        if let trampoline = unsafe trampoline {
          unsafe Unmanaged<Trampoline>.fromOpaque(trampoline).release()
        }
      }
    #endif
    precondition(code == 0, "pthread_key_create failed with \(code)")
    return key
  }()

  private init() {}

  /// The trampoline of the calling thread, which creates it at the first access.
  package static var ofCurrentThread: Trampoline {
    if let trampoline = unsafe pthread_getspecific(key) {
      return unsafe Unmanaged<Trampoline>.fromOpaque(trampoline).takeUnretainedValue()
    }
    let trampoline = Trampoline()
    unsafe pthread_setspecific(key, Unmanaged.passRetained(trampoline).toOpaque())
    return trampoline
  }

  /// Whether no job is waiting.
  var isEmpty: Bool {
    jobs.isEmpty
  }

  /// Enqueues a job, or executes it and everything that it schedules if the trampoline is idle.
  func schedule(_ job: TrampolineJob) {
    if isRunning { jobs.append(job) } else { execute { job.execute() } }
  }

  /// Executes a closure and then the jobs that it scheduled.
  ///
  /// The trampoline must be idle.
  @inline(__always)
  func execute<Result>(_ body: () -> Result) -> Result {
    isRunning = true
    let result = body()
    while let job = jobs.popFirst() { job.execute() }
    isRunning = false
    return result
  }

  /// Executes a closure with an idle trampoline, even while the thread's trampoline is running.
  ///
  /// A turn of a session uses this: all synchronous consequences of its item happen within the
  /// turn, even if a job of the trampoline has sent the item.
  package static func isolated<Result>(_ body: () -> Result) -> Result {
    let trampoline = ofCurrentThread
    guard trampoline.isRunning else { return body() }
    let suspended = trampoline.jobs
    trampoline.jobs = TrampolineJobs()
    trampoline.isRunning = false
    defer {
      trampoline.jobs = suspended
      trampoline.isRunning = true
    }
    return body()
  }
}

/// The waiting jobs of a trampoline, the oldest first.
///
/// In most cases there is only one job, the emission of a chain's source. It needs no array.
private struct TrampolineJobs {
  private var first: TrampolineJob?
  private var others = Fifo<TrampolineJob>()

  var isEmpty: Bool {
    first == nil
  }

  mutating func append(_ job: TrampolineJob) {
    if first == nil { first = job } else { others.append(job) }
  }

  mutating func popFirst() -> TrampolineJob? {
    guard let job = first.take() else { return nil }
    if !others.isEmpty { first = others.popFirst() }
    return job
  }
}
