internal import Synchronization

/// The latest changes of a log in memory.
final class MemoryFeed: ChangeFeed {
  /// The maximum number of retained changes.
  static let bound = 65_536

  private struct Contents {
    /// A ring buffer: change `n` is at index `(n - 1) % bound`.
    var ring: [StoreChange] = []
    var latest = 0
    /// The number before the oldest retained change.
    var floor = 0
  }

  let store = Epoch.random()
  /// How long changes are retained, in milliseconds.
  private let retained: Int64
  private let contents = Mutex(Contents())
  private let publisher = ChangePublisher()

  init(retaining time: Duration) {
    let milliseconds = time / .milliseconds(1)
    retained = milliseconds < 9e15 ? Int64(milliseconds) : .max
  }

  var latest: Int { publisher.latest }

  /// Appends a change, which ``publish()`` makes visible.
  ///
  /// Called within the lock of the session, so that its changes are in the order of its log.
  func append(
    _ kind: StoreChange.Kind, of key: SessionKey?, at cursor: Cursor, _ time: Timestamp,
    by: String? = nil
  ) {
    contents.withLock { contents in
      contents.latest += 1
      let change = StoreChange(
        number: contents.latest, kind: kind, key: key, cursor: cursor, at: time, by: by)
      if contents.ring.count < Self.bound {
        contents.ring.append(change)
      } else {
        contents.ring[(contents.latest - 1) % Self.bound] = change
      }
      contents.floor = max(contents.floor, contents.latest - Self.bound)
    }
  }

  /// Notifies the observers of the appended changes.
  func publish() {
    publisher.publish(contents.withLock { $0.latest })
  }

  func floor() -> Int {
    let now = Timestamp.now.milliseconds
    return contents.withLock { contents in
      while contents.floor < contents.latest,
        now - contents.ring[contents.floor % Self.bound].at.milliseconds >= retained
      {
        contents.floor += 1
      }
      return contents.floor
    }
  }

  func changes(after number: Int, limit: Int) -> [StoreChange] {
    let floor = floor()
    return contents.withLock { contents in
      let first = max(number, floor)
      let last = min(latest, first + max(0, limit))
      guard first < last else { return [] }
      return (first..<last).map { contents.ring[$0 % Self.bound] }
    }
  }

  func observe(_ observer: any ChangeObserver) { publisher.add(observer) }

  func stopObserving(_ observer: any ChangeObserver) { publisher.remove(observer) }
}
