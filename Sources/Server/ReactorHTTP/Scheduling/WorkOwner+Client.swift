internal import ReactorHost
internal import Shares

extension WorkOwner {
  /// The streams of all clients.
  static let streams = WorkOwner("streams")

  /// A session or global, for the views that many clients share.
  static func source(_ source: ObjectIdentifier) -> WorkOwner { WorkOwner(source) }

  /// A client, or `nil` in the process of a test.
  static func client(_ account: Account?) -> WorkOwner { account.map { WorkOwner($0) } ?? .none }

  /// Reserves a place for a job that waits, if the client's share permits; returns whether it does.
  func takePlace() -> Bool { account?.acquire(.jobs, of: Limits.backgroundJobs) ?? true }

  /// Returns the place of a job that begins.
  func returnPlace() { account?.release(.jobs) }
}

extension WorkerPool {
  /// Enqueues a job unless its owner has its share of the waiting jobs; returns whether it was enqueued.
  func enqueueIfRoom(for owner: WorkOwner, _ job: @escaping Job) -> Bool {
    guard owner.takePlace() else { return false }
    enqueue(for: owner) {
      owner.returnPlace()
      job()
    }
    return true
  }
}
