/// Verified tokens by their digests, bounded in number.
///
/// The least recently used half is dropped when the bound is reached: two generations of a
/// dictionary, so that a hit costs one lookup and no bookkeeping.
struct AccessCache {
  /// A SHA-256 digest as four words, which hash without a loop.
  struct Key: Hashable {
    private let words: (UInt64, UInt64, UInt64, UInt64)

    init(_ digest: [UInt8]) {
      func word(_ index: Int) -> UInt64 {
        digest.dropFirst(8 * index).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
      }
      words = (word(0), word(1), word(2), word(3))
    }

    static func == (left: Key, right: Key) -> Bool { left.words == right.words }

    func hash(into hasher: inout Hasher) { hasher.combine(words.0) }
  }

  /// The most entries.
  let limit: Int

  private var recent: [Key: Authentication] = [:]
  private var older: [Key: Authentication] = [:]

  init(limit: Int) {
    self.limit = limit
  }

  /// The number of entries.
  var count: Int { recent.count + older.count }

  /// Returns the entry of a digest if its credential has not expired.
  mutating func access(for key: Key, at now: Int64) -> Authentication? {
    if let access = recent[key] { return Self.isCurrent(access, at: now) ? access : nil }
    guard let access = older.removeValue(forKey: key) else { return nil }
    guard Self.isCurrent(access, at: now) else { return nil }
    insert(access, for: key)
    return access
  }

  mutating func insert(_ access: Authentication, for key: Key) {
    if recent.count >= max(1, limit / 2) {
      older = recent
      recent = [:]
    }
    recent[key] = access
  }

  mutating func removeAll() {
    recent = [:]
    older = [:]
  }

  private static func isCurrent(_ access: Authentication, at now: Int64) -> Bool {
    access.expiry.map { now < $0 } ?? true
  }
}
