internal import ReactorLog

/// The requests of the journal that this release cannot decode.
extension CommitMachine {
  /// Leaves requests in the journal, with their keys in use.
  ///
  /// - Parameters:
  ///   - requests: The requests that this release cannot decode.
  ///   - last: The number of the latest request in the journal.
  mutating func block(_ requests: [InterruptedRequest], numberedUpTo last: Int) {
    guard !hasEnded else { return }
    blocked = requests
    lastJournalRequest = last
    for request in requests {
      if let key = request.key { keys[key.name] = ClaimedKey(key: key, isAccepted: true) }
    }
  }

  /// Removes a blocked request from the journal.
  ///
  /// - Returns: The request, whose key the caller releases after the commit, or `nil` if there is none.
  mutating func removeBlocked(_ id: String, at now: Timestamp) -> InterruptedRequest? {
    guard let index = blocked.firstIndex(where: { $0.effectID == id }) else { return nil }
    let request = blocked.remove(at: index)
    for action in request.actions { journal.finish(action.id) }
    if let key = request.key { journal.outcomes.append((key, now, request.failure)) }
    return request
  }
}
