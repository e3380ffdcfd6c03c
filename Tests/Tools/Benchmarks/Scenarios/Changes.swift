import Foundation
import ReactorLog
import SQLiteLog
import Synchronization

extension Scenario {
  /// The cost of the feed of changes, and the rate of its readers.
  static var changes: Scenario {
    Scenario(
      name: "changes", summary: "durable actions with and without the feed; reading it",
      isPartOfAll: false
    ) { bench in
      try measureActions(bench)
      var latencies: [Double] = []
      var rates: [Double] = []
      for _ in 0..<bench.rounds {
        let store = try ChangeStore()
        latencies.append(try await store.publicationLatency() / .milliseconds(1))
        rates.append(try store.readingRate())
        store.remove()
      }
      bench.report(
        Figure(
          load: "10,000 actions/s", contestant: "changes", unit: "ms from commit to publication",
          value: Sample(latencies), aim: .atMost(5)))
      bench.report(
        Figure(
          load: "retained changes", contestant: "changes", unit: "changes/s",
          value: Sample(rates), aim: .atLeast(500_000)))
    }
  }

  private static func measureActions(_ bench: Bench) throws {
    let all = Contestants(bench: bench)
    let feed = all.reactord("with changes", isDurable: true, ["--changes-keep", "604800"])
    for count in [1, 64] {
      let outcomes = try bench.inTurns([all.sqlite, feed]) { contestant in
        try PostLoad.run(
          contestant, try contestant.start(), connections: count, seconds: bench.seconds)
      }
      let rates = outcomes.mapValues { $0.map(\.rate) }
      let (own, others) = (rates[feed.name] ?? [], rates[all.sqlite.name] ?? [])
      bench.report(
        Figure(
          load: "\(count) connections", contestant: feed.name, unit: "responses/s",
          value: Sample(own),
          ratio: .init(to: all.sqlite.name, value: Sample(own, dividedBy: others)),
          aim: .atLeast(0.93)))
    }
  }
}

/// A store with changes, in this process.
private final class ChangeStore {
  private static let batches = 50_000
  private static let rate = 10_000

  private let folder = FileManager.default.temporaryDirectory
    .appending(path: "reactord-bench-\(UUID().uuidString)")
  private let log: SQLiteLog

  init() throws {
    log = try SQLiteLog(
      path: folder.appending(path: "log.db").path, changeRetention: .seconds(604_800))
  }

  func remove() {
    log.close()
    try? FileManager.default.removeItem(at: folder)
  }

  /// The median time from the completion of a commit to the notification of a reader.
  func publicationLatency() async throws -> Duration {
    guard let feed = log.changes else { return .zero }
    let times = CommitTimes()
    feed.observe(times)
    let start = ContinuousClock.now
    for index in 0..<Self.batches {
      let session = index % 1_000
      let version = index / 1_000
      let entry = LogEntry(
        version: version + 1, at: .now, action: Array("1".utf8), mutation: Array("1".utf8))
      log.session(SessionKey(reactor: "r", id: "\(session)"))
        .append(LogBatch([entry]), to: "one", expecting: version) { _ in times.committed() }
      if index % 100 == 0 {
        try await Task.sleep(until: start + .seconds(1) * Double(index) / Double(Self.rate))
      }
    }
    // The feed has one change per batch, and one for the beginning of each session.
    while feed.latest < Self.batches + 1_000 { await Task.yield() }
    feed.stopObserving(times)
    return times.median
  }

  /// The number of retained changes that a reader reads per second.
  func readingRate() throws -> Double {
    guard let feed = log.changes else { return 0 }
    let start = ContinuousClock.now
    var (position, count) = (0, 0)
    while case let page = try feed.changes(after: position, limit: 256), let last = page.last {
      position = last.number
      count += page.count
    }
    return Double(count) / ((ContinuousClock.now - start) / .seconds(1))
  }
}

/// The times between commits and the next notification.
private final class CommitTimes: ChangeObserver {
  private struct State {
    var pending: [ContinuousClock.Instant] = []
    var latencies: [Duration] = []
  }

  private let state = Mutex(State())

  func committed() { state.withLock { $0.pending.append(.now) } }

  func changesDidCommit() {
    let now = ContinuousClock.now
    state.withLock { state in
      state.latencies += state.pending.map { now - $0 }
      state.pending = []
    }
  }

  var median: Duration {
    state.withLock { state in
      state.latencies.isEmpty ? .zero : state.latencies.sorted()[state.latencies.count / 2]
    }
  }
}
