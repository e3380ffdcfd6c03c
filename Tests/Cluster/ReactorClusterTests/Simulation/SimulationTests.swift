import Foundation
import ReactorCluster
import Testing

/// Runs of several nodes from seeds: 500, or `CLUSTER_SEEDS`.
struct SimulationTests {
  private static let blocks = 20

  private static var seedsPerBlock: Int {
    let total = ProcessInfo.processInfo.environment["CLUSTER_SEEDS"].flatMap { Int($0) } ?? 500
    return max(1, total / blocks)
  }

  @Test(arguments: 0..<blocks)
  func `every run keeps each acknowledged mutation once, in one chain with one owner`(_ block: Int)
  {
    for index in 0..<Self.seedsPerBlock {
      let seed = UInt64(block * Self.seedsPerBlock + index)
      let violations = Simulation(seed: seed).run()
      #expect(violations.isEmpty, "seed \(seed)")
    }
  }

  @Test func `subscriptions that are closed and opened again need no digest`() {
    var settings = Simulation.Settings()
    settings.comparesDigests = false
    // A late heartbeat is no failure.
    settings.cluster.suspect = 600_000
    for seed in 0..<100 as Range<UInt64> {
      let violations = Simulation(seed: seed, settings: settings).runWithoutLoss()
      #expect(violations.isEmpty, "seed \(seed)")
    }
  }

  @Test func `a fence without the message id fails`() {
    var settings = Simulation.Settings()
    settings.comparesMessageIDs = false
    #expect(findsViolation(settings))
  }

  @Test func `a writer that reads only the last message fails`() {
    var settings = Simulation.Settings()
    settings.readsOnlyTheLast = true
    #expect(findsViolation(settings))
  }

  @Test func `requests whose numbers are not committed are executed twice`() {
    var settings = Simulation.Settings()
    settings.commitsNumbers = false
    #expect(findsViolation(settings))
  }

  @Test func `a node that confirms a global before it has the value is found`() {
    var settings = Simulation.Settings()
    settings.confirmsEarly = true
    #expect(findsViolation(settings))
  }

  @Test func `the runs reach each event`() {
    let countsAll = ProcessInfo.processInfo.environment["CLUSTER_SEEDS"] != nil
    let events = [
      "append committed", "append lost", "append voided", "append unknown", "repetition", "forward",
      "release", "released", "redirection", "hand-over", "rejoin", "expulsion", "failure",
      "response", "unsubscription",
      "unavailable", "unknown", "global applied", "global unconfirmed",
    ]
    var counts: [String: Int] = [:]
    for seed in 0..<200 as Range<UInt64> {
      let simulation = Simulation(seed: seed)
      _ = simulation.run()
      counts.merge(simulation.counts) { $0 + $1 }
      if !countsAll, events.allSatisfy({ counts[$0] != nil }) { break }
    }
    for event in events { #expect(counts[event] ?? 0 > 0, "\(event) of \(counts)") }
    if countsAll { print(counts) }
  }

  /// Whether one of the first seeds violates a promise.
  private func findsViolation(_ settings: Simulation.Settings) -> Bool {
    (0..<1_000).contains { !Simulation(seed: $0, settings: settings).run().isEmpty }
  }
}
