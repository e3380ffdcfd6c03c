internal import Synchronization

/// A hosted reactor: the table of its sessions in memory.
final class ReactorRuntime: HostedReactor {
  private typealias Slots = [String: SessionSlot]

  let name: String
  let summary: String
  private let blueprint: any Blueprint
  private let environment: HostEnvironment
  /// Spread over several locks, so that requests for different sessions seldom meet.
  private let shards: [Shard]
  private let described = Mutex<ReactorDescription?>(nil)
  private let sweeps = Atomic<UInt>(0)

  private final class Shard: Sendable {
    let slots = Mutex<Slots>([:])
  }

  init(
    name: String, summary: String, blueprint: any Blueprint, environment: HostEnvironment
  ) {
    self.name = name
    self.summary = summary
    self.blueprint = blueprint
    self.environment = HostEnvironment(sharing: environment)
    shards = (0..<16).map { _ in Shard() }
  }

  var description: ReactorDescription {
    if let known = described.withLock({ $0 }) { return known }
    let description = blueprint.describe()
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
    slot.used(in: sweeps.load(ordering: .relaxed))
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
          // Reading it shows that the version can be had.
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
      return try blueprint.refold(environment.log.session(SessionKey(reactor: name, id: id)))
    } catch let error as LogError {
      throw error
    } catch {
      throw .corrupt("\(error)")
    }
  }

  var liveSessionCount: Int {
    load.sessions
  }

  /// What is counted of all its sessions.
  var counts: ReactorCounts { environment.counts }

  /// What the sessions in memory do now.
  var load: SessionLoad {
    var load = SessionLoad()
    for shard in shards {
      // A copy of the table, which is looked at without its lock.
      for slot in shard.slots.withLock({ $0 }).values { slot.live?.add(to: &load) }
    }
    return load
  }

  private func slot(_ id: String) -> SessionSlot? {
    let shard = shard(of: id)
    let now = sweeps.load(ordering: .relaxed)
    if let slot = shard.slots.withLock({ $0[id] }) {
      slot.used(in: now)
      return slot
    }
    dropVacant()
    return shard.slots.withLock { slots in
      if let slot = slots[id] {
        slot.used(in: now)
        return slot
      }
      guard environment.places.take(atMost: environment.settings.sessionLimit) else { return nil }
      let slot = SessionSlot(
        SessionKey(reactor: name, id: id), blueprint: blueprint, environment: environment)
      slot.used(in: now)
      slots[id] = slot
      return slot
    }
  }

  /// Drops the slots without a session, so that they take no place from those with one.
  private func dropVacant() {
    for id in environment.vacancies.takeAll() {
      let isDropped = shard(of: id).slots.withLock { slots in
        guard let index = slots.index(forKey: id), slots.values[index].isVacant else {
          return false
        }
        // Whoever else holds it may be about to fill it.
        guard isKnownUniquelyReferenced(&slots.values[index]) else {
          environment.vacancies.note(id)
          return false
        }
        slots.remove(at: index)
        return true
      }
      if isDropped { environment.places.give() }
    }
  }

  private func shard(of id: String) -> Shard {
    // Cheaper than hashing all of it once more than its shard does: where clients choose ids that
    // share a shard, they only wait for each other's locks.
    var id = id
    let sum = id.withUTF8 { $0.suffix(8).reduce(0 as UInt) { ($0 &* 31) &+ UInt($1) } }
    return shards[Int(sum % UInt(shards.count))]
  }

  func sweep() {
    let sweep = sweeps.add(1, ordering: .relaxed).newValue
    for shard in shards {
      let left = shard.slots.withLock { slots -> [SessionSlot] in
        var left: [SessionSlot] = []
        // By index: whoever iterates over the table itself holds it, so that asking for the only
        // reference would copy all of it, and find two.
        var index = slots.startIndex
        while index != slots.endIndex {
          defer { slots.formIndex(after: &index) }
          guard sweep &- slots.values[index].lastUse > 1 else { continue }
          // Only the table holds it, and to get hold of it takes the lock that is held here.
          guard isKnownUniquelyReferenced(&slots.values[index]), slots.values[index].mayLeave()
          else { continue }
          left.append(slots.values[index])
        }
        for slot in left { slots[slot.key.id] = nil }
        return left
      }
      for slot in left {
        environment.places.give()
        slot.leave()
      }
    }
  }
}
