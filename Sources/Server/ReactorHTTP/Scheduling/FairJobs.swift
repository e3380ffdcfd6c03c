internal import ReactorStreams

/// A fair queue: owners take turns, so that an owner with many jobs delays each other job by one job per owner.
///
/// At most `width` executors remove jobs at the same time. An executor begins when
/// ``append(_:of:width:)`` returns `true`, and ends when ``next()`` returns `nil`.
struct FairJobs<Owner: Hashable & Sendable, Job: Sendable>: Sendable {
  /// The jobs of each owner; none of the queues is empty.
  private var queues: [Owner: Fifo<Job>] = [:]
  /// The owners of the queues, the next one first.
  private var turns = Fifo<Owner>()
  /// The number of waiting jobs.
  private(set) var pending = 0
  private var running = 0

  /// Returns the number of waiting jobs of an owner.
  func count(of owner: Owner) -> Int { queues[owner]?.count ?? 0 }

  /// Adds a job; returns whether it needs another executor.
  mutating func append(_ job: Job, of owner: Owner, width: Int) -> Bool {
    if queues[owner] == nil { turns.append(owner) }
    queues[owner, default: Fifo()].append(job)
    pending += 1
    guard running < width else { return false }
    running += 1
    return true
  }

  /// Removes the next job; if there is none, returns `nil`, and the executor ends.
  mutating func next() -> Job? {
    guard let owner = turns.popFirst(), let job = queues[owner]?.popFirst() else {
      running -= 1
      return nil
    }
    pending -= 1
    if queues[owner]?.isEmpty == false { turns.append(owner) } else { queues[owner] = nil }
    return job
  }
}
