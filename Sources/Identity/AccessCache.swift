internal import Crypto

/// Verified tokens by their digests, bounded in number.
///
/// The least recently used half is dropped when the bound is reached: two generations of a
/// dictionary, so that a hit costs one lookup and no bookkeeping.
struct AccessCache {
  /// The most entries.
  let limit: Int

  private var recent: [SHA256.Digest: Authentication] = [:]
  private var older: [SHA256.Digest: Authentication] = [:]

  init(limit: Int) {
    self.limit = limit
  }

  /// The number of entries.
  var count: Int { recent.count + older.count }

  /// Returns the entry of a digest if its credential has not expired.
  mutating func access(for digest: SHA256.Digest, at now: Int64) -> Authentication? {
    if let access = recent[digest] { return access.isCurrent(at: now) ? access : nil }
    guard let access = older.removeValue(forKey: digest) else { return nil }
    guard access.isCurrent(at: now) else { return nil }
    insert(access, for: digest)
    return access
  }

  mutating func insert(_ access: Authentication, for digest: SHA256.Digest) {
    if recent.count >= max(1, limit / 2) {
      older = recent
      recent = [:]
    }
    recent[digest] = access
  }
}
