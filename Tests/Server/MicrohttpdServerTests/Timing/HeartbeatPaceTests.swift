internal import Testing

@testable internal import MicrohttpdServer

@Suite struct HeartbeatPaceTests {
  /// The times of the heartbeats of each of `count` streams that opened at 0.
  private func beats(of count: Int, until end: Int64, interval: Int64 = 15_000) -> [[Int64]] {
    var pace = HeartbeatPace(interval: interval)
    var silence = RecencyList()
    var beats = [[Int64]](repeating: [], count: count)
    for index in 0..<count { silence.touch(index, at: 0) }
    var now: Int64 = 0
    pace.advance(to: now, streams: silence.count)
    while let (_, oldest) = silence.oldest,
      let next = pace.next(silentSince: oldest, at: now, streams: silence.count), next <= end
    {
      #expect(next > now)
      now = max(next, now + 1)
      pace.advance(to: now, streams: silence.count)
      while let (index, time) = silence.oldest, pace.isDue(silentSince: time, at: now) {
        silence.touch(index, at: now)
        beats[index].append(now)
      }
    }
    return beats
  }

  /// The largest number of heartbeats in a second, from a time on.
  private func mostInASecond(_ beats: [[Int64]], from start: Int64) -> Int {
    let seconds = beats.joined().filter { $0 >= start }.map { $0 / 1000 }
    return Dictionary(grouping: seconds) { $0 }.values.map(\.count).max() ?? 0
  }

  @Test(arguments: [1, 2, 99])
  func `few streams get their heartbeats when they are due`(count: Int) {
    for times in beats(of: count, until: 60_000) {
      #expect(times == [15_000, 30_000, 45_000, 60_000])
    }
  }

  @Test(arguments: [100, 1_000, 15_000])
  func `many streams that opened together are spread after one round`(count: Int) {
    let beats = beats(of: count, until: 150_000)
    #expect(mostInASecond(beats, from: 30_000) <= count / 15 + count / 50 + 1)
  }

  @Test(arguments: [99, 100, 1_000, 15_000])
  func `no stream is silent for longer than the interval, and the rate does not rise`(
    count: Int
  ) {
    for times in beats(of: count, until: 300_000) {
      #expect(zip([0] + times, times).allSatisfy { $1 - $0 <= 15_000 })
      #expect((20...22).contains(times.count))
    }
  }

  @Test func `an interval of 0 disables heartbeats`() {
    var pace = HeartbeatPace(interval: 0)
    pace.advance(to: 1_000_000, streams: 1000)
    let isDue = pace.isDue(silentSince: 0, at: 1_000_000)
    #expect(!isDue)
    #expect(pace.next(silentSince: 0, at: 0, streams: 1000) == nil)
  }

  @Test func `neither a clock that stands still nor an hour in one step releases a burst`() {
    var pace = HeartbeatPace(interval: 15_000)
    pace.advance(to: 0, streams: 1000)
    pace.advance(to: 3_600_000, streams: 1000)
    let early = (0..<1000).filter { _ in pace.isDue(silentSince: 3_592_000, at: 3_600_000) }
    #expect(early.count == 10)
    pace.advance(to: 3_600_000, streams: 1000)
    let isDue = pace.isDue(silentSince: 3_592_000, at: 3_600_000)
    #expect(!isDue)
  }
}
