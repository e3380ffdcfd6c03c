internal import ReactorHost
internal import ReactorTransport

extension WorkOwner {
  /// The streams of all clients.
  static let streams = WorkOwner("streams")

  /// A session or global, for the views that many clients share.
  static func source(_ source: ObjectIdentifier) -> WorkOwner { WorkOwner(source) }

  /// A client, or `nil` for Unix-domain sockets.
  static func client(_ address: ClientAddress?) -> WorkOwner { WorkOwner(address) }
}

extension WorkerPool {
  /// Enqueues a job unless too many jobs of its owner, or of all owners, are waiting; returns
  /// whether it was enqueued.
  func enqueueIfRoom(for owner: WorkOwner, _ job: @escaping Job) -> Bool {
    enqueue(for: owner, within: (Limits.backgroundJobsPerClient, Limits.backgroundJobs), job)
  }
}
