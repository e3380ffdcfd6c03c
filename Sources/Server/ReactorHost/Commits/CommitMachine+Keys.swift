internal import ReactorLog

/// The idempotency keys of requests that are being executed, and the repetitions that wait for them.
extension CommitMachine {
  /// A key of a request that is being executed.
  struct ClaimedKey: Sendable {
    let key: IdempotencyKey
    /// Whether the actions are durable while their effects run.
    var isAccepted = false
  }

  /// A repeated request that waits for the first one.
  struct Repetition: Sendable {
    /// The actions of the first request are durable.
    let accepted: @Sendable () -> Void
    /// The first request, with its reply, has its response; without a reply it was not executed.
    let completion: @Sendable (Reply?) -> Void
    /// Too many later repetitions wait.
    let waitsNoLonger: @Sendable () -> Void
  }

  /// Whether a repetition waits.
  enum Joining {
    /// No request with the key is being executed any more: look again.
    case free
    /// The key belongs to a request with another body.
    case otherBody
    /// The repetition waits; if too many do, the first of them does not wait any longer.
    case waits(isAccepted: Bool, insteadOf: Repetition?)
  }

  /// The maximum number of repetitions that wait for one request.
  static var repetitionBound: Int { 16 }

  /// Returns whether a request with a key of this name is being executed; never after the end.
  func use(of key: IdempotencyKey) -> KeyUse {
    if hasEnded { return .free(releases: releasedKeys) }
    return keys[key.name].map { .executing($0.key) } ?? .free(releases: releasedKeys)
  }

  /// Claims a key for a request.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - releases: The number that ``use(of:)`` returned before the log was searched for the key's
  ///     outcome.
  /// - Returns: Whether the key was claimed: not if another request has claimed it, or if a key was
  ///   released whose outcome the search can have missed. Always `true` after the end.
  mutating func claim(_ key: IdempotencyKey, at releases: Int) -> Bool {
    if hasEnded { return true }
    guard releasedKeys == releases else { return false }
    guard let executing = keys.updateValue(ClaimedKey(key: key), forKey: key.name) else {
      return true
    }
    keys[key.name] = executing
    return false
  }

  /// Releases the key of a request that is not executed, or whose outcome is stored.
  ///
  /// The caller then responds to its repetitions, see ``takeRepetitions(of:)``.
  mutating func release(_ key: IdempotencyKey?) {
    guard let key, keys.removeValue(forKey: key.name) != nil else { return }
    releasedKeys += 1
  }

  /// Adds a repetition to those that wait for the request with a key.
  mutating func join(_ key: IdempotencyKey, _ repetition: Repetition) -> Joining {
    guard !hasEnded, let claimed = keys[key.name] else { return .free }
    guard claimed.key == key else { return .otherBody }
    var waiting = repetitions.removeValue(forKey: key.name) ?? []
    let first = waiting.count < Self.repetitionBound ? nil : waiting.removeFirst()
    waiting.append(repetition)
    repetitions[key.name] = waiting
    return .waits(isAccepted: claimed.isAccepted, insteadOf: first)
  }

  /// The actions of the request with a key are durable.
  ///
  /// - Returns: The repetitions that wait for it.
  mutating func accepted(_ key: IdempotencyKey) -> [Repetition] {
    guard keys[key.name] != nil else { return [] }
    keys[key.name]?.isAccepted = true
    return repetitions[key.name] ?? []
  }

  /// Removes the repetitions that wait for the request with a key, which has its response.
  mutating func takeRepetitions(of key: IdempotencyKey) -> [Repetition] {
    repetitions.removeValue(forKey: key.name) ?? []
  }

  /// Removes all repetitions: the session has ended.
  mutating func takeRepetitions() -> [Repetition] {
    defer { repetitions = [:] }
    return repetitions.values.flatMap { $0 }
  }
}
