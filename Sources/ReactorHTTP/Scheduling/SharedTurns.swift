internal import ReactorStreams

/// Jobs of several owners, which take turns; each owner has a bounded number of jobs that have begun and not
/// ended.
///
/// Pure. Unlike with ``FairJobs``, an owner whose jobs take long leaves room for those of others that arrive
/// later.
struct SharedTurns<Owner: Hashable & Sendable, Job: Sendable>: Sendable {
  /// The number of jobs that are under way at the same time.
  private let width: Int
  /// How many of them one owner has at most.
  private let share: Int
  /// The jobs of each owner that wait; none of the queues is empty.
  private var queues: [Owner: Fifo<Job>] = [:]
  /// The owners with jobs that wait and less than their share under way, the next one first.
  private var turns = Fifo<Owner>()
  /// The number of jobs that are under way, by owner; none is 0.
  private var running: [Owner: Int] = [:]
  private var total = 0
  /// The number of jobs that wait.
  private(set) var pending = 0

  init(width: Int, share: Int) {
    self.width = width
    self.share = share
  }

  /// The number of jobs of an owner that wait.
  func count(of owner: Owner) -> Int { queues[owner]?.count ?? 0 }

  /// Adds a job, which ``begin()`` returns when it is its turn.
  mutating func append(_ job: Job, of owner: Owner) {
    if queues[owner] == nil, running[owner, default: 0] < share { turns.append(owner) }
    queues[owner, default: Fifo()].append(job)
    pending += 1
  }

  /// Removes the next job that may begin now; `nil` without one.
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

  /// A job of an owner has ended.
  mutating func end(_ owner: Owner) {
    guard let count = running[owner] else { return }
    total -= 1
    running[owner] = count > 1 ? count - 1 : nil
    if count == share, queues[owner] != nil { turns.append(owner) }
  }
}
