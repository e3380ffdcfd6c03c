internal import ReactorLog
internal import Synchronization

extension NATSSessionLog {
  /// Confirms that no other process has appended to the session.
  ///
  /// A read is not sufficient: a broker that is cut off from the others regards itself as the
  /// leader for some seconds. So a void message is appended. The fence rejects it if another
  /// message follows the end that this process knows, and only a majority of the brokers can store
  /// it. If the session is not in the log, no message is appended: its absence is confirmed with a
  /// write to LIVE, followed by a read.
  func confirmEnd(
    of epoch: String, at version: @escaping @Sendable () -> Int,
    completion: @escaping @Sendable (Result<Void, LogError>) -> Void
  ) {
    let request = EndConfirmations.Request(epoch: epoch, version: version, completion: completion)
    confirmations.add(request) { [weak self] () async throws(LogError) in
      guard let self else { throw .conflict }
      return try await isKnownToBeAbsent ? confirmedAbsence() : confirmedEnd()
    }
  }

  private func confirmedAbsence() async throws(LogError) -> SessionHead {
    try await store.proof.renew()
    return try await history.head(isComplete: false)
  }

  /// Appends a void message if the session is stored, and returns the end of the log before it.
  ///
  /// The end of the log is read first if it is not known, as after a write without an outcome.
  private func confirmedEnd() async throws(LogError) -> SessionHead {
    let confirmed = Mutex(SessionHead())
    try await write { head in
      confirmed.withLock { $0 = head }
      return head.status == .stored ? .write(head.voiding(now: .now)) : .finish
    }
    return confirmed.withLock { $0 }
  }
}
