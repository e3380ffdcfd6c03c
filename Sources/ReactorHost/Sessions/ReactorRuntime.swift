internal import ReactorLog
internal import Synchronization
internal import Telemetry

/// A hosted reactor: the table of its sessions in memory.
final class ReactorRuntime: HostedReactor {
  private typealias Slots = [String: SessionSlot]

  let name: String
  let summary: String
  private let environment: ReactorEnvironment
  /// Several locks, so that requests for different sessions rarely contend.
  private let shards: [Shard]
  private let described = Mutex<ReactorDescription?>(nil)
  private let sweeps = Atomic<UInt>(0)

  private final class Shard: Sendable {
    let slots = Mutex<Slots>([:])
  }

  init(
    name: String, summary: String, witness: ReactorWitness, environment: HostEnvironment
  ) {
    self.name = name
    self.summary = summary
    self.environment = ReactorEnvironment(witness, in: environment)
    shards = (0..<16).map { _ in Shard() }
  }

  var description: ReactorDescription {
    if let known = described.withLock({ $0 }) { return known }
    let description = environment.witness.describe(
      SessionScope(
        SessionKey(reactor: name, id: SessionScope.catalogueID), logger: environment.logger))
    described.withLock { $0 = description }
    return description
  }

  // MARK: Sessions

  func session(
    _ id: String, for intent: SessionIntent,
    completion: @escaping @Sendable (Result<OpenedSession, SessionError>) -> Void
  ) {
    guard let slot = slot(id) else { return completion(.failure(.tooMany)) }
    slot.open(for: intent, completion: completion)
  }

  func liveSession(_ id: String) -> (any Session)? {
    guard let slot = shard(of: id).slots.withLock({ $0[id] }) else { return nil }
    slot.didUse(in: sweeps.load(ordering: .relaxed))
    return slot.live
  }

  func fork(
    _ source: String, at version: Int?, to id: String,
    completion: @escaping @Sendable (Result<OpenedSession, SessionError>) -> Void
  ) {
    guard let origin = slot(source), let target = slot(id) else {
      return completion(.failure(.tooMany))
    }
    do {
      guard try origin.exists() else { return completion(.failure(.unknown)) }
    } catch {
      return completion(.failure(.log(error)))
    }
    origin.open(for: .use) { result in
      switch result {
      case .success(let opened):
        let session = opened.session
        do {
          // Fails if the version is not available.
          let version = try version.map { try session.state(at: $0).version }
          target.fork(opened.session.key, at: version ?? session.current.version, completion)
        } catch let error as HistoryError {
          completion(.failure(.history(error)))
        } catch {
          completion(.failure(.log(.corrupt("\(error)"))))
        }
      case .failure(let error): completion(.failure(error))
      }
    }
  }

  func endSession(
    _ id: String, completion: @escaping @Sendable (Result<Void, SessionError>) -> Void
  ) {
    guard let slot = slot(id) else { return completion(.failure(.tooMany)) }
    slot.end(completion: completion)
  }

  func sessions(after id: String?, limit: Int) throws(SessionError) -> [SessionSummary] {
    let live = liveSummaries(after: id)
    var merged: [String: SessionSummary] = [:]
    do {
      for summary in try environment.log.sessions(of: name, after: id, limit: limit) {
        merged[summary.id] = summary
      }
    } catch {
      throw .log(error)
    }
    for summary in live { merged[summary.id] = summary }
    return Array(merged.values.sorted { $0.id < $1.id }.prefix(limit))
  }

  private func liveSummaries(after id: String?) -> [SessionSummary] {
    shards.flatMap { shard in
      let slots = shard.slots.withLock { slots in
        slots.filter { slot in id.map { slot.key > $0 } ?? true }
      }
      return slots.compactMap { id, slot in
        slot.live.map { session in
          SessionSummary(
            id: id, cursor: session.current.cursor, subscribers: session.subscriberCount,
            lastActiveAt: session.lastActiveAt)
        }
      }
    }
  }

  func refold(_ id: String) throws(LogError) -> RefoldReport {
    do {
      let key = SessionKey(reactor: name, id: id)
      return try environment.witness.verify(
        environment.log.session(key), SessionScope(key, logger: environment.logger))
    } catch let error as LogError {
      throw error
    } catch {
      throw .corrupt("\(error)")
    }
  }

  var liveSessionCount: Int {
    load.sessions
  }

  /// The counters of all its sessions.
  var counts: ReactorCounts { environment.counts }

  /// The current figures of the sessions in memory.
  var load: SessionLoad {
    var load = SessionLoad()
    for shard in shards {
      // A copy of the table, so that its lock is not held.
      for slot in shard.slots.withLock({ $0 }).values { slot.live?.add(to: &load) }
    }
    return load
  }

  private func slot(_ id: String) -> SessionSlot? {
    let shard = shard(of: id)
    let now = sweeps.load(ordering: .relaxed)
    if let slot = shard.slots.withLock({ $0[id] }) {
      slot.didUse(in: now)
      return slot
    }
    removeVacant()
    return shard.slots.withLock { slots in
      if let slot = slots[id] {
        slot.didUse(in: now)
        return slot
      }
      guard environment.quota.acquire(limit: environment.settings.sessionLimit) else { return nil }
      let slot = SessionSlot(SessionKey(reactor: name, id: id), environment: environment)
      slot.didUse(in: now)
      slots[id] = slot
      return slot
    }
  }

  /// Removes the slots without a session, which count against the quota.
  private func removeVacant() {
    for id in environment.evictable.removeAll() {
      let isRemoved = shard(of: id).slots.withLock { slots in
        guard let index = slots.index(forKey: id), slots.values[index].isVacant else {
          return false
        }
        // A thread with another reference may be about to load the session.
        guard isKnownUniquelyReferenced(&slots.values[index]) else {
          environment.evictable.insert(id)
          return false
        }
        slots.remove(at: index)
        return true
      }
      if isRemoved { environment.quota.release() }
    }
  }

  private func shard(of id: String) -> Shard {
    // Cheaper than another hash of the whole id. Clients that choose ids of the same shard contend
    // for one lock, which is all.
    var id = id
    let sum = id.withUTF8 { $0.suffix(8).reduce(0 as UInt) { ($0 &* 31) &+ UInt($1) } }
    return shards[Int(sum % UInt(shards.count))]
  }

  func sweep() {
    let sweep = sweeps.add(1, ordering: .relaxed).newValue
    for shard in shards {
      let evicted = shard.slots.withLock { slots -> [SessionSlot] in
        var evicted: [SessionSlot] = []
        // By index: an iterator would hold a second reference to the table, so that
        // `isKnownUniquelyReferenced` would copy the table and return `false`.
        var index = slots.startIndex
        while index != slots.endIndex {
          defer { slots.formIndex(after: &index) }
          guard sweep &- slots.values[index].lastUse > 1 else { continue }
          // If the table has the only reference, no other can be created without this lock.
          guard isKnownUniquelyReferenced(&slots.values[index]), slots.values[index].evict()
          else { continue }
          evicted.append(slots.values[index])
        }
        for slot in evicted { slots[slot.key.id] = nil }
        return evicted
      }
      for slot in evicted {
        environment.quota.release()
        slot.shutDown()
      }
    }
  }
}
