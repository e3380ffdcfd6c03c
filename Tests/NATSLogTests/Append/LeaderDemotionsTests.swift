import Testing

@testable import NATSLog

/// When the leader of a stream gets a request to step down, without brokers and without a clock.
struct LeaderDemotionsTests {
  /// The times of the requests if 32 reads find the leader behind every 50 ms.
  private func requests(
    _ demotions: inout LeaderDemotions, of stream: String, behindSince start: Int64,
    through end: Int64
  ) -> [Int64] {
    var times: [Int64] = []
    for now in stride(from: start, through: end, by: 50) {
      for _ in 0..<32 where demotions.shouldRequest(stream, behindSince: start, at: now) {
        times.append(now)
      }
    }
    return times
  }

  @Test func `a leader that is behind for less than two seconds is waited for`() {
    var demotions = LeaderDemotions()
    #expect(requests(&demotions, of: "L", behindSince: 100, through: 2_050) == [])
    #expect(requests(&demotions, of: "L", behindSince: 100, through: 2_100) == [2_100])
  }

  @Test func `many reads send one request per five seconds and stream`() {
    var demotions = LeaderDemotions()
    let first = requests(&demotions, of: "L", behindSince: 0, through: 20_000)
    #expect(first == [2_000, 7_000, 12_000, 17_000])
    #expect(requests(&demotions, of: "M", behindSince: 18_000, through: 24_950) == [20_000])
    // Another read finds the leader behind after the last request.
    #expect(requests(&demotions, of: "L", behindSince: 18_000, through: 23_000) == [22_000])
  }

  @Test func `the pauses of a stream with other messages double`() {
    var demotions = LeaderDemotions()
    var times: [Int64] = []
    for now in stride(from: Int64(0), through: 150_000, by: 500) {
      for _ in 0..<8 where demotions.shouldRequest(differing: "L", at: now) { times.append(now) }
    }
    #expect(times == [2_000, 12_000, 32_000, 72_000])
  }
}
