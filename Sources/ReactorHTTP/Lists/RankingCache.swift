internal import ReactorHost
internal import Synchronization

/// The latest rankings, so that a page of one costs what it contains.
///
/// Creating a ranking reads all sessions of its reactor. If that is quick, each request creates one. If it
/// takes long, a ranking is used again for five times as long as that took, and while its successor is
/// created: at most a sixth of the time of a background thread goes into it.
final class RankingCache: Sendable {
  typealias Completion = @Sendable (Result<SessionRanking, SessionError>) -> Void

  /// The most rankings.
  static let limit = 16

  /// The reactor, the order and the prefix of a ranking.
  struct Key: Hashable {
    let reactor: String
    let order: SessionOrder
    let prefix: String
  }

  private let slots = Mutex(RankingSlots(limit: RankingCache.limit))

  /// Finds a ranking, or creates it.
  ///
  /// - Parameters:
  ///   - key: The ranking.
  ///   - make: Creates it; called if there is none, or an old one that no other call replaces.
  ///   - completion: Called once, on any thread.
  func ranking(
    _ key: Key, make: @Sendable (@escaping Completion) -> Void, completion: @escaping Completion
  ) {
    let step = slots.withLock { $0.request(key, at: .now, completion) }
    if let ranking = step.ranking { completion(.success(ranking)) }
    guard step.isMaker else { return }
    make { [self] result in
      let waiting = slots.withLock { $0.finish(key, at: .now, result) }
      for completion in waiting { completion(result) }
    }
  }
}

/// The rankings that exist, are created at present, and are awaited.
struct RankingSlots {
  /// A ranking whose creation takes less time than this is not cached.
  static let quick = Duration.milliseconds(250)

  /// The next step of a request for a ranking.
  struct Step {
    /// Responds with this; `nil` waits.
    let ranking: SessionRanking?
    /// Whether to create the ranking.
    let isMaker: Bool
  }

  private struct Slot {
    var ranking: SessionRanking?
    /// When it was finished, and how long it took.
    var finished = ContinuousClock.now
    var duration = Duration.zero
    /// When its successor was begun; `nil` for none.
    var begun: ContinuousClock.Instant?
    var waiting: [RankingCache.Completion] = []
    var lastUse = 0
  }

  private let limit: Int
  private var slots: [RankingCache.Key: Slot] = [:]
  private var uses = 0

  init(limit: Int) {
    self.limit = limit
  }

  /// The number of rankings.
  var count: Int { slots.count }

  /// Records a request for a ranking.
  mutating func request(
    _ key: RankingCache.Key, at now: ContinuousClock.Instant,
    _ completion: @escaping RankingCache.Completion
  ) -> Step {
    uses += 1
    if slots[key] == nil { makeRoom() }
    var slot = slots[key] ?? Slot()
    defer { slots[key] = slot }
    slot.lastUse = uses
    let known = slot.duration < Self.quick ? nil : slot.ranking
    let isCurrent = known != nil && now < slot.finished + slot.duration * 5
    let isMaker = !isCurrent && slot.begun == nil
    if isMaker { slot.begun = now }
    if known == nil { slot.waiting.append(completion) }
    return Step(ranking: known, isMaker: isMaker)
  }

  /// A ranking was created, or could not be.
  ///
  /// - Returns: The completions that wait for it.
  mutating func finish(
    _ key: RankingCache.Key, at now: ContinuousClock.Instant,
    _ result: Result<SessionRanking, SessionError>
  ) -> [RankingCache.Completion] {
    guard var slot = slots[key] else { return [] }
    let waiting = slot.waiting
    slot.waiting = []
    if let begun = slot.begun { slot.duration = now - begun }
    slot.begun = nil
    slot.finished = now
    if case .success(let ranking) = result { slot.ranking = ranking }
    slots[key] = slot.ranking == nil ? nil : slot
    return waiting
  }

  /// Drops the ranking that was not used for longest, unless all are created at present.
  private mutating func makeRoom() {
    guard slots.count >= limit else { return }
    let idle = slots.filter { $0.value.begun == nil }
    guard let oldest = idle.min(by: { $0.value.lastUse < $1.value.lastUse }) else { return }
    slots[oldest.key] = nil
  }
}
