internal import ReactorHost
internal import Synchronization

/// Caches the latest rankings, so that reading a page does not read all sessions.
///
/// Creating a ranking reads all sessions of its reactor. If that is quick, each request creates
/// one. Otherwise, a ranking is reused for five times the duration of its creation, and while its
/// successor is created. So the creation of a ranking takes at most one sixth of the time of a
/// background thread.
final class RankingCache: Sendable {
  typealias Completion = @Sendable (Result<SessionRanking, SessionError>) -> Void

  /// The maximum number of rankings.
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
  ///   - make: Creates the ranking; called if there is none, or an outdated one that no other call
  ///     is replacing.
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

/// The rankings that exist or are being created, and the requests that wait for them.
struct RankingSlots {
  /// A ranking whose creation takes less time than this is not cached.
  static let quick = Duration.milliseconds(250)

  /// The next step of a request for a ranking.
  struct Step {
    /// The ranking to respond with; `nil` if the request waits until the ranking is created.
    let ranking: SessionRanking?
    /// Whether the caller must create the ranking.
    let isMaker: Bool
  }

  private struct Slot {
    var ranking: SessionRanking?
    /// The time when the creation of the ranking ended, and its duration.
    var finished = ContinuousClock.now
    var duration = Duration.zero
    /// The time when the creation of the next ranking began; `nil` if none is being created.
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

  /// Records that the creation of a ranking has succeeded or failed.
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

  /// Removes the least recently used ranking, unless all are being created.
  private mutating func makeRoom() {
    guard slots.count >= limit else { return }
    let idle = slots.filter { $0.value.begun == nil }
    guard let oldest = idle.min(by: { $0.value.lastUse < $1.value.lastUse }) else { return }
    slots[oldest.key] = nil
  }
}
