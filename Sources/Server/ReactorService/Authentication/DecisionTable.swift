internal import Crypto
internal import Identity
internal import Shares

/// The decisions of a webhook that are retained, by the digests of the questions.
///
/// Each is counted for the client that has asked first. A client that has its share replaces its own decisions, the
/// oldest first; one without any in a full table replaces the oldest of the client that has the most. A value without a
/// clock; times are in seconds since 1970.
struct DecisionTable {
  private struct Entry {
    var isAllowed = false
    /// When the decision ends; `.min` if there was none yet.
    var until = Int64.min
    /// When a webhook that has not responded gets the question again.
    var retryAt = Int64.min
    let owner: Account?
  }

  /// The maximum number of decisions.
  static let limit = 65_536

  private let limit: Int
  private let ledger: Ledger
  private var entries: [SHA256.Digest: Entry] = [:]
  /// The digests of the entries of each client, the oldest first.
  private var owned: [Account?: ArraySlice<SHA256.Digest>] = [:]
  private var sweptAt = Int64.min

  init(_ ledger: Ledger, limit: Int = Self.limit) {
    (self.ledger, self.limit) = (ledger, limit)
  }

  /// The number of decisions.
  var count: Int { entries.count }

  /// Returns what is known of a question, or `nil` if it is to be sent.
  func decision(
    _ digest: SHA256.Digest, endingAfter time: Int64, at now: Int64
  ) -> AccessDecision? {
    guard let entry = entries[digest] else { return nil }
    if time < entry.until { return .decided(isAllowed: entry.isAllowed, until: entry.until) }
    return now < entry.retryAt ? .unavailable : nil
  }

  /// Records a decision, or with `nil` that the webhook has not responded: an earlier decision stays then.
  mutating func record(
    _ decision: (isAllowed: Bool, until: Int64)?, retryAt: Int64, _ digest: SHA256.Digest,
    for owner: Account?, at now: Int64
  ) {
    guard entries[digest] != nil || makeRoom(for: owner, at: now) else { return }
    if entries[digest] == nil { owned[owner, default: []].append(digest) }
    var entry = entries[digest] ?? Entry(owner: owner)
    if let decision { (entry.isAllowed, entry.until) = decision }
    entry.retryAt = retryAt
    entries[digest] = entry
  }

  /// Releases the places of all decisions.
  mutating func removeAll() {
    for entry in entries.values { ledger.release(.decisions, of: entry.owner) }
    (entries, owned) = ([:], [:])
  }

  /// Reserves a place, or returns `false` if another table with the same ledger has all of them.
  private mutating func makeRoom(for owner: Account?, at now: Int64) -> Bool {
    if ledger.acquire(.decisions, of: limit, for: owner) { return true }
    // The search costs as much as the table is long, and so is not repeated for each question.
    if sweptAt < now {
      sweptAt = now
      for (digest, entry) in entries where entry.until <= now && entry.retryAt <= now {
        entries[digest] = nil
        ledger.release(.decisions, of: entry.owner)
      }
      owned = owned.mapValues { $0.filter { entries[$0] != nil }[...] }.filter { !$0.value.isEmpty }
      if ledger.acquire(.decisions, of: limit, for: owner) { return true }
    }
    if let oldest = owned[owner]?.popFirst() {
      entries[oldest] = nil
      return true
    }
    // A stream whose decision is not retained would ask without a pause.
    guard let largest = owned.max(by: { $0.value.count < $1.value.count })?.key,
      let oldest = owned[largest]?.popFirst()
    else { return false }
    entries[oldest] = nil
    ledger.release(.decisions, of: largest)
    ledger.take(.decisions, for: owner)
    return true
  }
}
