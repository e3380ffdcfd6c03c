internal import Crypto
internal import Identity
internal import Shares

/// The decisions of a webhook that are retained, by the digests of the questions.
///
/// Each is counted for the client that has asked first. A client that has its share replaces its own decisions, the
/// oldest first, so that no client makes the service forget the decisions of others. A value without a clock; times are
/// in seconds since 1970.
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

  private let ledger: Ledger
  private var entries: [SHA256.Digest: Entry] = [:]
  /// The digests of the entries of each client, the oldest first.
  private var owned: [Account?: ArraySlice<SHA256.Digest>] = [:]
  private var sweptAt = Int64.min

  init(_ ledger: Ledger) { self.ledger = ledger }

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

  /// Reserves a place, or returns `false` if the table is full of the decisions of others.
  private mutating func makeRoom(for owner: Account?, at now: Int64) -> Bool {
    if ledger.acquire(.decisions, of: Self.limit, for: owner) { return true }
    // The search costs as much as the table is long, and so is not repeated for each question.
    if sweptAt < now {
      sweptAt = now
      for (digest, entry) in entries where entry.until <= now && entry.retryAt <= now {
        entries[digest] = nil
        ledger.release(.decisions, of: entry.owner)
      }
      owned = owned.mapValues { $0.filter { entries[$0] != nil }[...] }.filter { !$0.value.isEmpty }
      if ledger.acquire(.decisions, of: Self.limit, for: owner) { return true }
    }
    guard let oldest = owned[owner]?.popFirst() else { return false }
    entries[oldest] = nil
    return true
  }
}
