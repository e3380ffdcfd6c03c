public import ReactorLog

/// The position after which a reader of the changes begins.
public enum ChangePosition: Sendable {
  /// The latest change, so that the sequence begins with the next one.
  case latest

  /// Before the oldest retained change.
  case oldest

  /// The last change that the reader has.
  case id(ChangeID)
}

/// An error of reading the changes of a host.
public enum ChangeFeedError: Error, Equatable, Sendable {
  /// Changes are not retained: `changes.keep` is 0.
  case disabled

  /// Changes after the position are no longer retained, or it belongs to another store. A reader can
  /// begin again after `oldest`.
  case expired(oldest: ChangeID)

  /// The log cannot be read.
  case log(LogError)
}

extension Host {
  /// The retained changes of all sessions, or `nil` if `changes.keep` is 0.
  public var changeFeed: (any ChangeFeed)? { environment.log.changes }

  /// Returns the changes of all sessions after a position, in the order of commits, as an endless
  /// sequence.
  ///
  /// ```swift
  /// for try await change in try host.changes(after: .latest) { … }
  /// ```
  ///
  /// A reader that stores `change.number` together with its own work misses nothing and processes
  /// nothing twice: it continues with `.id(ChangeID(store: …, number: …))`, also after a restart.
  ///
  /// - Parameter position: The position after which the changes begin.
  /// - Returns: The changes. They are read from the store as the reader requests them.
  /// - Throws: If changes are not retained, or the changes after the position are no longer
  ///   retained.
  public func changes(after position: ChangePosition) throws(ChangeFeedError) -> ChangeSequence {
    guard let feed = changeFeed else { throw .disabled }
    return ChangeSequence(feed, after: try changeNumber(of: position, in: feed))
  }

  /// Returns the number of the last change before a position.
  package func changeNumber(
    of position: ChangePosition, in feed: any ChangeFeed
  ) throws(ChangeFeedError) -> Int {
    let (floor, latest): (Int, Int)
    do throws(LogError) {
      floor = try feed.floor()
      // A reader can come from a process that has published more than this one.
      if case .id(let id) = position, id.number > feed.latest {
        latest = try feed.latestCommitted()
      } else {
        latest = feed.latest
      }
    } catch {
      throw .log(error)
    }
    switch position {
    case .latest: return latest
    case .oldest: return floor
    case .id(let id):
      guard id.store == feed.store, (floor...max(floor, latest)).contains(id.number) else {
        throw .expired(oldest: ChangeID(store: feed.store, number: floor))
      }
      return id.number
    }
  }

  /// Returns the log entries of a change, or `nil` if it has none, or if they are no longer retained.
  ///
  /// May block on the disk.
  public func entries(of change: StoreChange) throws(LogError) -> [LogEntry]? {
    guard case .changed(let from) = change.kind, let key = change.key else { return nil }
    let log = environment.log.session(key)
    var entries: [LogEntry] = []
    var last = from
    while last < change.cursor.version {
      let page = try log.entries(after: last, limit: change.cursor.version - last)
      guard page.first?.version == last + 1, let end = page.last?.version else { return nil }
      entries += page
      last = end
    }
    // Check the epoch after the entries were read: another history can have replaced the change's
    // history during the read.
    guard case .stored(let stored) = try log.record(), stored.epoch == change.cursor.epoch else {
      return nil
    }
    return entries
  }

  /// Reads the current State and the parameters of a session, or returns `nil` if there is none.
  ///
  /// May block on the disk.
  package func currentState(
    of key: SessionKey
  ) async throws(LogError) -> (state: CommittedState, parameters: [UInt8]?)? {
    guard let reactor = reactor(key.reactor) else { return nil }
    if let session = reactor.liveSession(key.id) { return (session.current, session.parameters) }
    guard case .stored(let stored) = try environment.log.session(key).record() else { return nil }
    let cursor = Cursor(epoch: stored.epoch, version: stored.version)
    guard let json = try await reactor.storedState(key.id, at: cursor) else { return nil }
    let parameters = stored.parameters ?? reactor.description.parameters?.default
    return (CommittedState(cursor: cursor, json: json), parameters)
  }

  /// Returns the State after a change, as JSON, or `nil` if the session has ended, or if the version
  /// is no longer retained.
  ///
  /// Reads and folds the log unless the session is in memory at that version. May block on the disk.
  public func state(after change: StoreChange) async throws(LogError) -> [UInt8]? {
    guard let key = change.key, change.kind != .ended else { return nil }
    return try await reactor(key.reactor)?.storedState(key.id, at: change.cursor)
  }
}
