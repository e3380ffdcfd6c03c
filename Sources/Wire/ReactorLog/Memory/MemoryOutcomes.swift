/// The latest outcomes of a session's idempotency keys, in memory.
///
/// A hash table with a chain per bucket. Elements are deleted in the order of their insertion, so a
/// deletion neither computes a hash nor changes a chain: a lookup ends at the first deleted number
/// of a chain.
package struct MemoryOutcomes: Sendable {
  /// The maximum number per session.
  package static let bound = 10_000

  private struct Slot: Sendable {
    let hash: Int
    /// The number of the outcome before this one in its bucket.
    var previous: Int
    var outcome: StoredOutcome
  }

  /// The outcomes, each in the slot of its number; the count is a power of two.
  private var slots: [Slot?] = []
  /// The number of the latest outcome of each bucket.
  private var buckets: [Int] = []
  /// The number of the oldest outcome that is not deleted.
  private var oldest = 1
  /// The number of the next outcome.
  private var next = 1

  package init() {}

  package subscript(key: String) -> StoredOutcome? {
    number(of: key, hash: key.hashValue).flatMap { slots[place(of: $0)]?.outcome }
  }

  /// The number of outcomes.
  package var count: Int { next - oldest }

  /// Inserts an outcome, and deletes the outcomes that are older than it by a number of
  /// milliseconds.
  ///
  /// - Returns: The bytes of the outcomes that are deleted or replaced.
  @discardableResult
  package mutating func insert(_ outcome: StoredOutcome, forgettingAfter time: Int64) -> Int {
    var bytes = 0
    let hash = outcome.key.name.hashValue
    if let known = number(of: outcome.key.name, hash: hash) {
      bytes += slots[place(of: known)]?.outcome.byteCount ?? 0
      slots[place(of: known)]?.outcome = outcome
    } else {
      if count == slots.count { grow() }
      insert(Slot(hash: hash, previous: 0, outcome: outcome))
    }
    // Only the time is read: a copy of the slot would retain its strings.
    while count > 1, let first = slots[place(of: oldest)]?.outcome.at.milliseconds,
      count > Self.bound || outcome.at.milliseconds - first >= time
    {
      bytes += slots[place(of: oldest)]?.outcome.byteCount ?? 0
      slots[place(of: oldest)] = nil
      oldest += 1
    }
    return bytes
  }

  private mutating func insert(_ slot: Slot) {
    var slot = slot
    let bucket = place(of: slot.hash)
    slot.previous = buckets[bucket]
    slots[place(of: next)] = slot
    buckets[bucket] = next
    next += 1
  }

  private mutating func grow() {
    let known = (oldest..<next).compactMap { slots[place(of: $0)] }
    let count = max(8, slots.count * 2)
    (slots, buckets) = (Array(repeating: nil, count: count), Array(repeating: 0, count: count))
    (oldest, next) = (1, 1)
    for slot in known { insert(slot) }
  }

  private func number(of key: String, hash: Int) -> Int? {
    guard count > 0 else { return nil }
    var number = buckets[place(of: hash)]
    while number >= oldest, let known = slots[place(of: number)]?.hash {
      if known == hash, slots[place(of: number)]?.outcome.key.name == key { return number }
      number = slots[place(of: number)]?.previous ?? 0
    }
    return nil
  }

  /// Returns the index of a number's slot, or of a hash's bucket.
  private func place(of number: Int) -> Int {
    number & (slots.count - 1)
  }
}
