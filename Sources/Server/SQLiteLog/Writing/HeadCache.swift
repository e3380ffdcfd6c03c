internal import ReactorLog

/// The end of a session's history, as the writer needs it to append.
struct Head {
  /// The key of the history's rows.
  var id: Int64

  /// The name of the history.
  var epoch: String

  /// The epoch that the chain of checksums begins with, or `nil` for the session's own.
  var origin: String?

  /// Whether the history has ended.
  var isEnded = false

  /// The version of the last entry.
  var version = 0

  /// The version of the last snapshot; 0 for none.
  var snapshot = 0

  /// The checksum of the last entry.
  var chain: UInt64

  /// Whether the record names the State and the Mutation of this release.
  var hasSchema = true
}

/// The heads of the sessions that were written to recently.
///
/// There are two generations. When the young one is full, it replaces the old one; the heads that
/// are still in the old one were not used since the last replacement, and are dropped.
struct HeadCache {
  private let capacity: Int
  private var young: [SessionKey: Head] = [:]
  private var old: [SessionKey: Head] = [:]

  /// Creates a cache of the most recently used sessions: at least the capacity, at most twice that.
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
