import ReactorHost
import ReactorLog
import Testing

@testable import ReactorHTTP

/// The first sessions of an order, of any number.
struct SessionRankingTests {
  private static func session(_ id: Int, version: Int) -> SessionSummary {
    SessionSummary(
      id: "s\(1_000_000 + id)", cursor: Cursor(epoch: "e", version: version), subscribers: 0,
      lastActiveAt: Timestamp(milliseconds: 0))
  }

  @Test(arguments: [1, 2, 7, 100, 5_000])
  func `a ranking has the first sessions, whatever their order was`(limit: Int) {
    var generator = SystemRandomNumberGenerator()
    let all = (0..<3_000).map {
      Self.session($0, version: Int.random(in: 0..<500, using: &generator))
    }
    var ranking = SessionRanking(by: .version, limit: limit)
    var rest = all.shuffled()[...]
    while !rest.isEmpty {
      let count = Int.random(in: 1...200)
      ranking.add(Array(rest.prefix(count)))
      rest = rest.dropFirst(count)
    }
    ranking.trim()
    let sorted = all.sorted {
      $0.cursor.version == $1.cursor.version
        ? $0.id < $1.id : $0.cursor.version > $1.cursor.version
    }
    #expect(ranking.sessions == Array(sorted.prefix(limit)))
    #expect(ranking.total == 3_000)
    // Pages of any length, joined, are the ranking.
    var joined: [SessionSummary] = []
    while true {
      let position = joined.last.map { RankingPosition(of: $0, in: .version) }
      let page = ranking.page(after: position, limit: 1_000)
      guard !page.isEmpty else { break }
      joined += page
    }
    #expect(joined == ranking.sessions)
  }

  @Test func `a position of a ranking is parsed from its text, and other texts are rejected`()
    throws
  {
    let position = RankingPosition(of: Self.session(7, version: 12), in: .version)
    #expect(RankingPosition(position.description) == position)
    for text in ["", "~", "x~a", "12", "~a", "99999999999999999999~a"] {
      #expect(RankingPosition(text) == nil)
    }
    #expect(RankingPosition("1~a~b")?.id == "a~b")
  }
}

/// When a ranking is created, used again, and dropped.
struct RankingSlotsTests {
  private let start = ContinuousClock.now
  private let ranking = SessionRanking(by: .version)

  private func key(_ prefix: String = "") -> RankingCache.Key {
    RankingCache.Key(reactor: "number", order: .version, prefix: prefix)
  }

  @Test func `a ranking that is created quickly is created again for each request`() {
    var slots = RankingSlots(limit: 4)
    for round in 0..<3 {
      let now = start + .seconds(round)
      #expect(slots.request(key(), at: now) { _ in }.isMaker)
      // A second request meanwhile waits for the same one.
      let second = slots.request(key(), at: now) { _ in }
      #expect(!second.isMaker && second.ranking == nil)
      #expect(slots.finish(key(), at: now + .milliseconds(10), .success(ranking)).count == 2)
    }
  }

  @Test
  func `a ranking that took long is used again, also while the next one is created`() {
    var slots = RankingSlots(limit: 4)
    #expect(slots.request(key(), at: start) { _ in }.isMaker)
    #expect(slots.finish(key(), at: start + .seconds(2), .success(ranking)).count == 1)
    let soon = slots.request(key(), at: start + .seconds(11)) { _ in }
    #expect(soon.ranking != nil && !soon.isMaker)
    let late = slots.request(key(), at: start + .seconds(12)) { _ in }
    #expect(late.ranking != nil && late.isMaker)
    let later = slots.request(key(), at: start + .seconds(13)) { _ in }
    #expect(later.ranking != nil && !later.isMaker)
    #expect(slots.finish(key(), at: start + .seconds(14), .success(ranking)).isEmpty)
  }

  @Test func `the failure to create a ranking is returned and not stored`() {
    var slots = RankingSlots(limit: 4)
    #expect(slots.request(key(), at: start) { _ in }.isMaker)
    #expect(slots.finish(key(), at: start + .seconds(2), .failure(.tooMany)).count == 1)
    #expect(slots.count == 0)
    #expect(slots.request(key(), at: start + .seconds(3)) { _ in }.isMaker)
  }

  @Test func `above the limit, the least recently used ranking is dropped`() {
    var slots = RankingSlots(limit: 2)
    for (index, prefix) in ["a", "b"].enumerated() {
      let now = start + .seconds(10 * index)
      _ = slots.request(key(prefix), at: now) { _ in }
      _ = slots.finish(key(prefix), at: now + .seconds(10), .success(ranking))
    }
    let now = start + .seconds(30)
    #expect(slots.request(key("a"), at: now) { _ in }.ranking != nil)
    #expect(slots.request(key("c"), at: now) { _ in }.isMaker)
    _ = slots.finish(key("c"), at: now + .seconds(10), .success(ranking))
    #expect(slots.count == 2)
    #expect(slots.request(key("a"), at: now) { _ in }.ranking != nil)
    #expect(slots.request(key("b"), at: now) { _ in }.isMaker)
  }
}
