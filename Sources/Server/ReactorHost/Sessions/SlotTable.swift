internal import ReactorLog
internal import Shares
internal import Synchronization

/// The slots of a reactor's sessions by id, within the share of sessions in memory of each client.
///
/// A slot is removed when its session was not used between two sweeps, or when it has no session.
struct SlotTable: ~Copyable, Sendable {
  /// The slots of a shard, and their ids in order for lists.
  private struct Slots {
    var slots: [String: SessionSlot] = [:]
    /// `nil` until the first list, so that a host without lists does not maintain an index.
    private var ids: OrderedIDs?

    mutating func insert(_ slot: SessionSlot) {
      slots[slot.key.id] = slot
      ids?.insert(slot.key.id)
    }

    mutating func remove(_ id: String) {
      slots[id] = nil
      ids?.remove(id)
    }

    mutating func ids(after id: String?, limit: Int) -> [String] {
      if ids == nil { ids = OrderedIDs(slots.keys) }
      return ids?.ids(after: id, limit: limit) ?? []
    }
  }

  private final class Shard: Sendable {
    let table = Mutex(Slots())
  }

  private let reactor: String
  private let environment: ReactorEnvironment
  /// Several locks, so that requests for different sessions rarely contend.
  private let shards: [Shard]
  private let sweeps = Atomic<UInt>(0)
  /// The shard in which the next idle session is searched.
  private let nextShard = Atomic<Int>(0)
  /// The time at which memory may be relieved again, in milliseconds.
  private let nextRelief = Atomic<Int64>(0)

  init(of reactor: String, in environment: ReactorEnvironment) {
    self.reactor = reactor
    self.environment = environment
    shards = (0..<16).map { _ in Shard() }
  }

  private subscript(id: String) -> Shard {
    // Cheaper than a second hash of the whole id. Clients that choose ids of the same shard only
    // cause contention for one lock.
    var id = id
    let sum = id.withUTF8 { unsafe $0.suffix(8).reduce(0 as UInt) { ($0 &* 31) &+ UInt($1) } }
    return shards[Int(sum % UInt(shards.count))]
  }

  /// Returns the slot of a session, or `nil` if the table has none.
  func find(_ id: String) -> SessionSlot? {
    self[id].table.withLock { $0.slots[id] }
  }

  /// Returns the slot of a session for a request, and records the use, or `nil` if the table has none.
  func use(_ id: String) -> SessionSlot? {
    guard let slot = self[id].table.withLock({ $0.slots[id] }) else { return nil }
    slot.didUse(in: sweeps.load(ordering: .relaxed))
    return slot
  }

  /// Returns the slot of a session for a request, and creates it if the table has none.
  ///
  /// The only origin of sessions: no row may be written of one that no client and no list can name.
  ///
  /// A client that has its share of the sessions in memory gets a place of one of its idle sessions.
  ///
  /// - Throws: ``SessionError/unknown`` for an invalid id, ``SessionError/tooMany`` beyond the share.
  func useOrCreate(_ id: String) throws(SessionError) -> SessionSlot {
    if let slot = use(id) { return slot }
    guard SessionKey.isValid(id: id) else { throw .unknown }
    removeVacant()
    relieveMemory()
    let account = Account.current
    if let slot = create(id, for: account) { return slot }
    if let account, evictIdle(for: account), let slot = create(id, for: account) { return slot }
    throw .tooMany
  }

  /// Creates the slot of a session, or returns the one that another thread has created; `nil` beyond the share of
  /// the client.
  private func create(_ id: String, for account: Account?) -> SessionSlot? {
    self[id].table.withLock { table -> SessionSlot? in
      let now = sweeps.load(ordering: .relaxed)
      if let slot = table.slots[id] {
        slot.didUse(in: now)
        return slot
      }
      let settings = environment.settings
      guard settings.ledger.acquire(.sessions, of: settings.sessionLimit, for: account) else {
        return nil
      }
      let slot = SessionSlot(
        SessionKey(reactor: reactor, id: id), of: account, environment: environment)
      slot.didUse(in: now)
      table.insert(slot)
      return slot
    }
  }

  /// Returns the ids of the slots after an id, at most `limit`, in ascending order.
  func ids(after id: String?, limit: Int) -> [String] {
    var pages = shards.map { shard in
      shard.table.withLock { $0.ids(after: id, limit: limit) }[...]
    }
    // Merge the pages: sorting all ids would take longer than the rest of a list.
    var merged: [String] = []
    while merged.count < limit {
      var next: (shard: Int, id: String)?
      for (shard, page) in pages.enumerated() {
        if let id = page.first, next.map({ id < $0.id }) ?? true { next = (shard, id) }
      }
      guard let next else { break }
      merged.append(next.id)
      pages[next.shard].removeFirst()
    }
    return merged
  }

  // MARK: Removal

  /// Removes the slots without a session, which count against the quota.
  private func removeVacant() {
    for id in environment.evictable.removeAll() {
      let removed = self[id].table.withLock { table -> SessionSlot? in
        guard let index = table.slots.index(forKey: id), table.slots.values[index].isVacant else {
          return nil
        }
        // A thread with another reference may be about to load the session.
        guard isKnownUniquelyReferenced(&table.slots.values[index]) else {
          environment.evictable.insert(id)
          return nil
        }
        defer { table.remove(id) }
        return table.slots.values[index]
      }
      if let removed { release(removed) }
    }
  }

  /// Evicts the sessions that were not used since the sweep before the last one.
  func sweep() {
    let sweep = sweeps.add(1, ordering: .relaxed).newValue
    for shard in shards { evict(from: shard) { sweep &- $0.lastUse > 1 } }
    relieveMemory()
  }

  /// Evicts sessions of a shard that are not in use.
  ///
  /// - Parameters:
  ///   - shard: The shard.
  ///   - limit: The maximum number of sessions.
  ///   - isCandidate: Whether to evict a session.
  /// - Returns: The number of evicted sessions.
  @discardableResult
  private func evict(
    from shard: Shard, atMost limit: Int = .max, where isCandidate: (SessionSlot) -> Bool
  ) -> Int {
    let evicted = shard.table.withLock { table -> [SessionSlot] in
      var evicted: [SessionSlot] = []
      // By index: an iterator would hold a second reference to the table, so that
      // `isKnownUniquelyReferenced` would copy the table and return `false`.
      var index = table.slots.startIndex
      while index != table.slots.endIndex, evicted.count < limit {
        defer { table.slots.formIndex(after: &index) }
        guard isCandidate(table.slots.values[index]) else { continue }
        // If the table has the only reference, no other can be created without this lock.
        guard isKnownUniquelyReferenced(&table.slots.values[index]),
          table.slots.values[index].evict()
        else { continue }
        evicted.append(table.slots.values[index])
      }
      for slot in evicted { table.remove(slot.key.id) }
      return evicted
    }
    for slot in evicted { shutDown(slot) }
    return evicted.count
  }

  /// Evicts idle sessions at once, before their idle time: those of a client, and of clients that hold more.
  ///
  /// Evicts many in one pass through a shard, so that a creation costs a constant time on average. After a search
  /// without a result there is none for the client for a while, since a search visits many sessions.
  ///
  /// - Parameter account: The client that needs a place.
  /// - Returns: Whether a session was evicted.
  private func evictIdle(for account: Account) -> Bool {
    guard account.maySearch(at: Timestamp.now.milliseconds) else { return false }
    let held = account.held(.sessions)
    var visited = 0
    for _ in shards where visited < Self.searchBound {
      let next = nextShard.wrappingAdd(1, ordering: .relaxed).oldValue
      let shard = shards[Int(UInt(bitPattern: next) % UInt(shards.count))]
      let count = evict(from: shard, atMost: Self.evictionsAtOnce) { slot in
        visited += 1
        return slot.account == account || slot.account.map { $0.held(.sessions) > held } ?? false
      }
      if count > 0 { return true }
    }
    account.pauseSearch(from: Timestamp.now.milliseconds)
    return false
  }

  /// Evicts idle sessions of the client with the most bytes, while sessions in memory must release some.
  ///
  /// At most every 50 ms, because a pass through a shard visits many sessions.
  func relieveMemory() {
    let ledger = environment.settings.ledger
    guard ledger.mustRelease(.states) else { return }
    let (now, due) = (Timestamp.now.milliseconds, nextRelief.load(ordering: .relaxed))
    guard now >= due,
      nextRelief.compareExchange(expected: due, desired: now + 50, ordering: .relaxed).exchanged
    else { return }
    let largest = ledger.largest(.states)
    for shard in shards where ledger.mustRelease(.states) {
      evict(from: shard, atMost: Self.evictionsAtOnce) {
        $0.account == nil || $0.account == largest
      }
    }
  }

  private static let evictionsAtOnce = 256
  /// The number of sessions after which a search ends, with that of the shard: some milliseconds.
  private static let searchBound = 65_536

  /// Evicts a session from memory now, unless it is in use.
  ///
  /// - Returns: Whether it is not in memory.
  func evict(_ id: String) -> Bool {
    var evicted: SessionSlot?
    let isAbsent = self[id].table.withLock { table in
      guard let index = table.slots.index(forKey: id) else { return true }
      guard isKnownUniquelyReferenced(&table.slots.values[index]),
        table.slots.values[index].evict()
      else { return false }
      evicted = table.slots.values[index]
      table.remove(id)
      return true
    }
    if let evicted { shutDown(evicted) }
    return isAbsent
  }

  private func shutDown(_ evicted: SessionSlot) {
    release(evicted)
    evicted.shutDown()
  }

  private func release(_ slot: SessionSlot) {
    environment.settings.ledger.release(.sessions, of: slot.account)
  }
}
