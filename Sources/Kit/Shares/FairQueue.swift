internal import ReactorStreams

/// A fair queue: owners take turns, so that an owner with many jobs delays each other job by one job per owner.
///
/// A pure data structure. At most `width` jobs are executed at a time. With a share, an owner whose jobs
/// take long leaves room for jobs of other owners that arrive later.
package struct FairQueue<Owner: Hashable & Sendable, Job: Sendable>: Sendable {
  /// The maximum number of running jobs.
  private let width: Int
  /// The maximum number of running jobs of one owner.
  private let share: Int
  /// The waiting jobs of each owner; none of the queues is empty.
  private var queues: [Owner: Fifo<Job>] = [:]
  /// The owners with waiting jobs and fewer running jobs than their share, the next one first.
  private var turns = Fifo<Owner>()
  /// The number of running jobs by owner, without owners that have none.
  private var running: [Owner: Int] = [:]
  private var total = 0

  /// Creates an empty queue.
  ///
  /// - Parameters:
  ///   - width: The maximum number of running jobs.
  ///   - share: The maximum number of running jobs of one owner, or `nil` for all of them.
  package init(width: Int, share: Int? = nil) {
    self.width = width
    self.share = share ?? width
  }

  /// Adds a job, which ``begin()`` returns when it is its turn.
  package mutating func append(_ job: Job, of owner: Owner) {
    if queues[owner] == nil, running[owner, default: 0] < share { turns.append(owner) }
    queues[owner, default: Fifo()].append(job)
  }

  /// Adds jobs before the waiting ones of their owners: jobs that were removed in this order, and have not begun.
  package mutating func putBack(_ jobs: some Sequence<(owner: Owner, job: Job)>) {
    for (owner, jobs) in Dictionary(grouping: jobs, by: \.owner) {
      if queues[owner] == nil, running[owner, default: 0] < share { turns.append(owner) }
      queues[owner, default: Fifo()].prepend(jobs.map(\.job))
    }
  }

  /// Returns whether a job of an owner waits.
  package func hasJobs(of owner: Owner) -> Bool { queues[owner] != nil }

  /// Whether no job waits.
  package var isEmpty: Bool { queues.isEmpty }

  /// Whether no job runs or waits.
  package var isIdle: Bool { total == 0 && queues.isEmpty }

  /// Removes the next job that can begin now; returns `nil` if there is none.
  package mutating func begin() -> (owner: Owner, job: Job)? {
    guard total < width, let owner = turns.popFirst(), let job = queues[owner]?.popFirst() else {
      return nil
    }
    total += 1
    running[owner, default: 0] += 1
    if queues[owner]?.isEmpty != false {
      queues[owner] = nil
    } else if running[owner, default: 0] < share {
      turns.append(owner)
    }
    return (owner, job)
  }

  /// Records that a job of an owner has ended.
  package mutating func end(_ owner: Owner) {
    guard let count = running[owner] else { return }
    total -= 1
    running[owner] = count > 1 ? count - 1 : nil
    if count == share, queues[owner] != nil { turns.append(owner) }
  }
}
