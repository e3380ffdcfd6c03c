internal import ReactorLog
internal import Synchronization

extension NATSSessionLog {
  /// Confirms that no other process has appended to the session.
  ///
  /// A read does not: a broker that is cut off from the others regards itself as the leader for some
  /// seconds. So a message is appended that changes nothing. The fence rejects it if there is another one
  /// after the end that this process knows, and only a majority of the brokers can store it. A session that
  /// the log does not have gets no message: a write to LIVE, followed by a read, is all that is known then.
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

  /// Appends an empty message.
  ///
  /// The end of the log may have been read for it: it is not known after a write without an outcome.
  private func confirmedEnd() async throws(LogError) -> SessionHead {
    let confirmed = Mutex(SessionHead())
    try await write { head in
      confirmed.withLock { $0 = head }
      return head.status == .stored ? .write(head.voiding(now: .now)) : .finish
    }
    return confirmed.withLock { $0 }
  }
}
