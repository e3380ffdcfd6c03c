internal import ReactorLog

/// The outcomes of a session's idempotency keys, as far as they are in memory.
///
/// ```
///  earlier: before the end of the log was read                 recent: committed by this object since
///  numbers ─► keys (hashes, read first) ─► outcomes (read from the
///             latest on, if the hash of a key is among them)
/// ```
///
/// Pure: the caller executes the reads that ``missing(for:)`` returns.
struct SessionOutcomes: Sendable {
  /// The next read of the log that a lookup needs.
  enum Missing: Equatable, Sendable {
    case keys, outcomes
  }

  private var recent = MemoryOutcomes()
  private var hasEarlier = false
  /// The earlier outcomes, as far as they were read.
  private(set) var search: OutcomeSearch?
  /// The hashes of the earlier keys, or `nil` if they were not read.
  private var keys: Set<UInt32>?
  /// The highest numbers of the earlier keys.
  private var numbers = NumberMarks()
  private var areKeysUnknown = false
  /// The number of resets; the result of a read that began before the latest one is discarded.
  private(set) var generation = 0

  /// Whether there are earlier outcomes that are not in memory.
  private var isIncomplete: Bool { hasEarlier && search?.isComplete != true }

  /// The read that the lookup of a key needs next, or `nil` if all outcomes are in memory.
  ///
  /// Numbered keys have no hashes.
  func missing(for name: String) -> Missing? {
    guard isIncomplete else { return nil }
    let needsKeys = keys == nil && !areKeysUnknown && KeyHashes.hash(of: name) != nil
    return needsKeys ? .keys : .outcomes
  }

  /// Resets the outcomes after an end of the log was read.
  mutating func begin(after head: SessionHead) {
    let next = generation + 1
    self = SessionOutcomes()
    generation = next
    hasEarlier = head.keyed > 0
    numbers = head.numbers
  }

  /// Resets the outcomes for a history without outcomes.
  mutating func clear() {
    let next = generation + 1
    self = SessionOutcomes()
    generation = next
  }

  /// Adds an outcome that was committed; the oldest ones are dropped.
  ///
  /// - Parameters:
  ///   - outcome: The outcome.
  ///   - time: How long outcomes are retained, in milliseconds.
  mutating func add(_ outcome: StoredOutcome, retaining time: Int64) {
    recent.insert(outcome, forgettingAfter: time)
  }

  /// Adds the hashes of the earlier keys, or returns `nil` if the log does not have them all.
  mutating func didRead(_ hashes: KeyHashes?, for generation: Int) {
    guard generation == self.generation, isIncomplete else { return }
    keys = hashes.map { Set($0.values) }
    areKeysUnknown = hashes == nil
  }

  /// Replaces the earlier outcomes by those of a search that has read more.
  mutating func didRead(_ search: OutcomeSearch, for generation: Int) {
    guard generation == self.generation else { return }
    self.search = search
    if search.isComplete { keys = nil }
  }

  /// The outcome of a key that this object has committed.
  func recent(_ name: String) -> StoredOutcome? { recent[name] }

  /// The outcome of a key, from memory: `nil` if the log must be read, `.some(nil)` if the key has
  /// no outcome.
  ///
  /// `now` is the time in milliseconds.
  func known(_ name: String, at now: Int64) -> StoredOutcome?? {
    if let found = recent[name] { return .some(found) }
    guard hasEarlier else { return .some(nil) }
    if let search {
      if let found = search.byName[name] { return .some(found) }
      if search.isComplete { return .some(nil) }
    }
    if numbers.excludes(name, at: now) { return .some(nil) }
    if let keys, let hash = KeyHashes.hash(of: name), !keys.contains(hash) { return .some(nil) }
    return nil
  }
}
