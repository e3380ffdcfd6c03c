extension Scenario {
  /// The cost of a subscriber that stops reading.
  static var stalledReader: Scenario {
    Scenario(
      name: "stalled-reader",
      summary: "1,000,000 actions of one session, 10 streams, with and without one that stalls"
    ) { bench in
      let all = Contestants(bench: bench)
      for contestant in [all.memory, all.sqlite] {
        var without: [StreamLoad.Outcome] = []
        var with: [StreamLoad.Outcome] = []
        for _ in 0..<bench.rounds {
          without.append(try millionActions(contestant, stalled: 0, bench))
          with.append(try millionActions(contestant, stalled: 1, bench))
        }
        // Both figures include the memory of the log of a million actions.
        func growth(_ outcome: StreamLoad.Outcome) -> Double {
          (max(outcome.resident.peak, outcome.resident.after) - outcome.resident.connected) / 1024
        }
        bench.report(
          Figure(
            load: "resident growth by the stalled one", contestant: contestant.name, unit: "KiB",
            value: Sample(zip(with, without).map { growth($0) - growth($1) }),
            aim: .atMost(1024)))
        bench.report(
          Figure(
            load: "p99 of the others", contestant: contestant.name, unit: "ms",
            value: Sample(with.map(\.receipt.p99)),
            ratio: .init(
              to: "without it",
              value: Sample(with.map(\.receipt.p99), dividedBy: without.map(\.receipt.p99))),
            aim: .atMost(1.1)))
        guard with.allSatisfy({ $0.deliveries.stalledAtEnd == 1 }) else {
          throw BenchmarkError("the stalled reader did not get the latest state")
        }
      }
    }
  }

  /// Sends a million actions, a hundred per request, so that responses do not dominate.
  private static func millionActions(
    _ contestant: Contestant, stalled: Int, _ bench: Bench
  ) throws -> StreamLoad.Outcome {
    let server = try contestant.start()
    var load = StreamLoad(bench)
    load.subscribers = 10
    load.stalled = stalled
    load.batch = 100
    load.count = 10_000
    load.rate = 600
    return try load.run(contestant, server)
  }
}
