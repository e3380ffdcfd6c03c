internal import ReactorStreams

/// Jobs of several owners, which take turns; each owner has a bounded number of running jobs.
///
/// A pure data structure. Unlike with ``FairJobs``, an owner whose jobs take long leaves room for
/// jobs of other owners that arrive later.
struct SharedTurns<Owner: Hashable & Sendable, Job: Sendable>: Sendable {
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
  /// The number of waiting jobs.
  private(set) var pending = 0

  init(width: Int, share: Int) {
    self.width = width
    self.share = share
  }

  /// Returns the number of waiting jobs of an owner.
  func count(of owner: Owner) -> Int { queues[owner]?.count ?? 0 }

  /// Adds a job, which ``begin()`` returns when it is its turn.
  mutating func append(_ job: Job, of owner: Owner) {
    if queues[owner] == nil, running[owner, default: 0] < share { turns.append(owner) }
    queues[owner, default: Fifo()].append(job)
    pending += 1
  }

  /// Removes the next job that can begin now; returns `nil` if there is none.
  mutating func begin() -> (owner: Owner, job: Job)? {
    guard total < width, let owner = turns.popFirst(), let job = queues[owner]?.popFirst() else {
      return nil
    }
    pending -= 1
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
  mutating func end(_ owner: Owner) {
    guard let count = running[owner] else { return }
    total -= 1
    running[owner] = count > 1 ? count - 1 : nil
    if count == share, queues[owner] != nil { turns.append(owner) }
  }
}
