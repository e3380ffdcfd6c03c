extension Scenario {
  /// One session with many subscribers.
  static var fanOut: Scenario {
    Scenario(
      name: "fan-out", summary: "1 session, 5,000 streams, 20 actions a second: POST to receipt"
    ) { bench in
      let all = Contestants(bench: bench)
      let contestants = [all.nchan, all.node, all.memory, all.sqlite]
      _ = try compareLatency(contestants, "5,000 streams", bench, aim: .atMost(1)) {
        $0.subscribers = 5000
        $0.rate = 20
        $0.seconds = 2 * bench.seconds
      }
    }
  }

  /// Many sessions with one subscriber each.
  ///
  /// Other load on the machine, four milliseconds once or twice per second, delays about one action
  /// in a hundred for every server; whether it hits slightly more or fewer changes the 99th
  /// percentile fivefold. The scenario therefore runs many short rounds and compares the least
  /// disturbed quarter.
  static var manySessions: Scenario {
    Scenario(
      name: "many-sessions",
      summary: "2,000 sessions with a stream each, 2,000 actions a second: POST to receipt"
    ) { bench in
      let all = Contestants(bench: bench)
      let contestants = [all.nchan, all.node, all.memory, all.sqlite]
      let load = "2,000 × 1 stream"
      let outcomes = try compareLatency(contestants, load, bench, rounds: 4 * bench.rounds) {
        $0.subscribers = 2000
        $0.sessions = 2000
        $0.publishers = 32
        $0.rate = 2000
      }
      let quarters = outcomes.mapValues { Sample(leastQuarterOf: $0.map(\.receipt.p99)) }
      guard let peer = quarters[all.nchan.name] else { return }
      for contestant in contestants {
        guard let own = quarters[contestant.name] else { continue }
        bench.report(
          Figure(
            load: "\(load), p99, least quarter", contestant: contestant.name, unit: "ms",
            value: own, ratio: ratio(of: contestant, Sample([own.median / peer.median])),
            aim: contestant.isOurs ? .atMost(1.5) : nil))
      }
      // The sync of a page is the lower bound of a durable response, for every server that stores
      // its State.
      let syncs = try (0..<bench.rounds).map { _ in try DiskSync.times(in: bench.output) }
      for (quantile, part) in [("p50", 0.5), ("p99", 0.99)] {
        bench.report(
          Figure(
            load: "a page synced, \(quantile)", contestant: "the disk alone", unit: "ms",
            value: Sample(syncs.map { $0.quantile(part) })))
      }
    }
  }

  /// Compares the latency from an action to its receipts with that of nchan.
  ///
  /// - Returns: The outcome of each round per contestant.
  private static func compareLatency(
    _ contestants: [Contestant], _ load: String, _ bench: Bench, rounds: Int? = nil,
    aim: Aim? = nil, _ setUp: (inout StreamLoad) -> Void
  ) throws -> [String: [StreamLoad.Outcome]] {
    let outcomes = try bench.inTurns(contestants, rounds: rounds) { contestant in
      let server = try contestant.start()
      var load = StreamLoad(bench)
      setUp(&load)
      return try load.run(contestant, server)
    }
    for (quantile, time) in [("p50", \StreamLoad.Outcome.Times.p50), ("p99", \.p99)] {
      for contestant in contestants {
        let own = outcomes[contestant.name] ?? []
        let times = own.map { $0.receipt[keyPath: time] }
        let others = (outcomes["nchan"] ?? []).map { $0.receipt[keyPath: time] }
        bench.report(
          Figure(
            load: "\(load), \(quantile)", contestant: contestant.name, unit: "ms",
            value: Sample(times), ratio: ratio(of: contestant, Sample(times, dividedBy: others)),
            aim: contestant.isOurs ? aim : nil))
      }
    }
    for contestant in contestants {
      let missed = (outcomes[contestant.name] ?? []).map { Double($0.deliveries.missed) }
      guard missed.contains(where: { $0 > 0 }) else { continue }
      bench.report(
        Figure(
          load: load, contestant: contestant.name, unit: "events not shown",
          value: Sample(missed)))
    }
    return outcomes
  }

  private static func ratio(of contestant: Contestant, _ value: Sample) -> Figure.Ratio? {
    contestant.name == "nchan" ? nil : .init(to: "nchan", value: value)
  }
}
