internal import ReactorLog

/// The history and the first entry of a session's log, to notice that another process has changed them.
struct LogExtent: Equatable {
  private let epoch: String?
  private let oldest: Int?

  /// Reads the extent of a log.
  init(of log: any SessionLog) throws(LogError) {
    guard case .stored(let session) = try log.record() else {
      (epoch, oldest) = (nil, nil)
      return
    }
    epoch = session.epoch
    // A damaged entry has no version: the verification reports it.
    oldest = (try? log.entries(after: 0, limit: 1))?.first?.version
  }
}
