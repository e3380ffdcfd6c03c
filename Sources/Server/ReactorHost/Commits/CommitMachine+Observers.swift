internal import ReactorLog

/// The observers of a session and its snapshots.
extension CommitMachine {
  /// Adds an observer of the batches that are committed from now on.
  ///
  /// - Parameters:
  ///   - observer: The observer.
  ///   - retains: Whether the session stays in memory for the observer. An observer that does not
  ///     retain it is not removed, and is not notified of an eviction.
  /// - Returns: The state before the first one that it receives, or `nil` after the end.
  mutating func add(_ observer: any SessionObserver, retains: Bool = true) -> CommittedState? {
    guard !hasEnded else { return nil }
    observers.append(observer)
    if !retains { passiveObservers += 1 }
    return latest
  }

  /// Removes an observer.
  ///
  /// - Returns: Whether observers remain.
  @discardableResult
  mutating func remove(_ observer: any SessionObserver) -> Bool {
    if let index = observers.firstIndex(where: { $0 === observer }) { observers.remove(at: index) }
    return !observers.isEmpty
  }

  /// Begins a snapshot of the reduced version if one is due.
  ///
  /// - Returns: The version, or `nil` if none is due.
  mutating func beginSnapshot(interval: Int) -> Int? {
    guard snapshotIsDue(at: reducedVersion, interval: interval) else { return nil }
    lastSnapshot = reducedVersion
    bytesSinceSnapshot = 0
    return reducedVersion
  }

  /// Whether a snapshot is due: after a number of mutations, or after 1 MiB of them.
  ///
  /// A snapshot is not larger than the mutations that it replaces, so that snapshots at most double what
  /// the log writes.
  func snapshotIsDue(at version: Int, interval: Int) -> Bool {
    guard !hasEnded, interval < .max else { return false }
    return version - lastSnapshot >= interval
      || bytesSinceSnapshot >= max(WorkSlice.bytes, latest.json.count) && version > lastSnapshot
  }

  /// Adds a snapshot.
  ///
  /// - Returns: Whether to save it now; if not, the publication of its version returns it.
  mutating func add(_ snapshot: Snapshot) -> Bool {
    guard latest.version < snapshot.version else { return true }
    if !hasEnded { self.snapshot = snapshot }
    return false
  }
}
