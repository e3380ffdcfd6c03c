internal import Crypto

/// A bounded cache of verified tokens, by their digests.
///
/// Two generations of a dictionary. When the recent generation has half of the entries, it replaces
/// the older one, whose entries are dropped. A hit in the recent generation costs one lookup and no
/// bookkeeping; a hit in the older one moves the entry to the recent one.
///
/// An entry whose credential has expired or has to be verified again says that it was accepted before.
struct AccessCache {
  /// The maximum number of entries.
  var limit: Int

  private var recent: [SHA256.Digest: Authentication?] = [:]
  private var older: [SHA256.Digest: Authentication?] = [:]

  init(limit: Int) {
    self.limit = limit
  }

  /// The number of entries.
  var count: Int { recent.count + older.count }

  /// Returns the entry of a digest if its credential has not expired, and whether the token was accepted before.
  mutating func access(
    for digest: SHA256.Digest, at now: Int64
  ) -> (access: Authentication?, isKnown: Bool) {
    if let access = recent[digest] {
      return (access.flatMap { $0.isCurrent(at: now) ? $0 : nil }, true)
    }
    guard let access = older.removeValue(forKey: digest) else { return (nil, false) }
    insert(access, for: digest)
    return (access.flatMap { $0.isCurrent(at: now) ? $0 : nil }, true)
  }

  /// Removes the entry of a token that is not accepted any more.
  mutating func remove(_ digest: SHA256.Digest) {
    recent[digest] = nil
    older[digest] = nil
  }

  /// Drops the authentications: all tokens have to be verified again.
  mutating func invalidate() {
    recent = recent.mapValues { _ in nil }
    older = older.mapValues { _ in nil }
  }

  mutating func insert(_ access: Authentication?, for digest: SHA256.Digest) {
    if recent.count >= max(1, limit / 2) {
      (recent, older) = (older, recent)
      recent.removeAll(keepingCapacity: true)
    }
    recent[digest] = access
  }
}
