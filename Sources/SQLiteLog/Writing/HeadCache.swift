internal import ReactorHost

/// The end of a session's history, as the writer knows it without asking the database.
struct Head {
  /// The key of what belongs to the history.
  var id: Int64

  /// The name of the history.
  var epoch: String

  /// Whether it has ended.
  var isEnded: Bool

  /// The version of its last entry.
  var version: Int

  /// The version of its last snapshot; 0 without any.
  var snapshot: Int
}

/// The heads of the sessions that were written to lately.
///
/// Two generations: when the younger one is full, it becomes the elder, and what was not asked for
/// since the last time is forgotten.
struct HeadCache {
  private let capacity: Int
  private var young: [SessionKey: Head] = [:]
  private var old: [SessionKey: Head] = [:]

  /// Makes a cache that knows at least so many of the sessions used last, and at most twice as many.
  init(capacity: Int) {
    self.capacity = capacity
  }

  subscript(key: SessionKey) -> Head? {
    mutating get {
      if let head = young[key] { return head }
      guard let head = old.removeValue(forKey: key) else { return nil }
      insert(head, for: key)
      return head
    }
    set {
      old[key] = nil
      young[key] = nil
      if let newValue { insert(newValue, for: key) }
    }
  }

  /// Forgets everything.
  mutating func removeAll() {
    young = [:]
    old = [:]
  }

  private mutating func insert(_ head: Head, for key: SessionKey) {
    if young.count >= capacity {
      old = young
      young = [:]
    }
    young[key] = head
  }
}
