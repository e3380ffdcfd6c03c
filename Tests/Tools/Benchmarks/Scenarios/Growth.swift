extension Scenario {
  /// The cost of a delivery as a function of the number of subscribers.
  static var growth: Scenario {
    Scenario(name: "growth", summary: "1 session, 5 actions a second, ever more streams") { bench in
      let all = Contestants(bench: bench)
      let contestants = [all.memory, all.sqlite, all.nchan]
      var median: [String: [Plot.Point]] = [:]
      var cost: [String: [Plot.Point]] = [:]
      for count in [1, 10, 100, 1000, 5000, 10_000] {
        let outcomes = try bench.inTurns(contestants, rounds: 1) { contestant in
          let server = try contestant.start()
          var load = StreamLoad(bench)
          load.subscribers = count
          load.rate = 5
          load.seconds = max(2, bench.seconds)
          return try load.run(contestant, server)
        }
        for contestant in contestants {
          guard let outcome = outcomes[contestant.name]?.first else { continue }
          let streams = Double(count).legible + " streams"
          median[contestant.name, default: []]
            .append(.init(x: Double(count), y: outcome.receipt.p50))
          bench.report(
            Figure(
              load: "\(streams), p50", contestant: contestant.name, unit: "ms",
              value: Sample([outcome.receipt.p50])))
          guard count >= 1000 else { continue }
          let microseconds =
            outcome.processor.server * 1_000_000 / max(1, outcome.deliveries.perSecond)
          cost[contestant.name, default: []].append(.init(x: Double(count), y: microseconds))
          bench.report(
            Figure(
              load: "\(streams), server", contestant: contestant.name, unit: "µs of CPU/delivery",
              value: Sample([microseconds])))
        }
      }
      func series(_ points: [String: [Plot.Point]]) -> [Plot.Series] {
        contestants.map { .init(name: $0.name, points: points[$0.name] ?? []) }
      }
      try bench.draw(
        Plot(
          name: "fan-out", title: "From an action to its receipt by many streams",
          x: .init(title: "streams of the session"), y: .init(title: "p50, milliseconds"),
          series: series(median)))
      try bench.draw(
        Plot(
          name: "delivery-cost", title: "Cost of a delivery to the server",
          x: .init(title: "streams of the session"),
          y: .init(title: "microseconds of a processor", isLogarithmic: false),
          series: series(cost)))
    }
  }
}
