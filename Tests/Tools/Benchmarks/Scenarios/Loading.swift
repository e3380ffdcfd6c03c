extension Scenario {
  /// The time to load a session from the disk.
  static var loading: Scenario {
    Scenario(
      name: "loading", summary: "a session of the counter from the disk, not yet in memory"
    ) { bench in
      let sizes = [1_000, 10_000, 100_000, 1_000_000]
      var loaded: [Bool: [Plot.Point]] = [:]
      var replayed: [Plot.Point] = []
      for hasSnapshots in [true, false] {
        let kind = hasSnapshots ? "with snapshots" : "without snapshots"
        for mutations in sizes {
          let log = DurableLog(mutations: mutations, hasSnapshots: hasSnapshots)
          let result = try await log.measure(rounds: bench.rounds)
          let time = Sample(result.loads.map { $0 / .milliseconds(1) })
          let rate = Sample(result.replays.map { Double(mutations) / ($0 / .seconds(1)) })
          loaded[hasSnapshots, default: []].append(.init(x: Double(mutations), y: time.median))
          let name = "\(Double(mutations).legible) mutations"
          bench.report(
            Figure(
              load: name, contestant: kind, unit: "ms to load", value: time,
              aim: hasSnapshots && mutations == 1_000_000 ? .atMost(10) : nil))
          guard hasSnapshots else { continue }
          replayed.append(.init(x: Double(mutations), y: rate.median))
          bench.report(
            Figure(
              load: name, contestant: "replayed", unit: "mutations/s", value: rate,
              aim: mutations == 1_000_000 ? .atLeast(500_000) : nil))
          bench.report(
            Figure(
              load: name, contestant: "in the file", unit: "bytes/mutation",
              value: Sample([result.bytesPerMutation])))
        }
      }
      try bench.draw(
        Plot(
          name: "loading", title: "Loading a session", x: .init(title: "mutations in its log"),
          y: .init(title: "milliseconds until its state is there"),
          series: [
            .init(name: "with snapshots", points: loaded[true] ?? []),
            .init(name: "without", points: loaded[false] ?? []),
          ]))
      try bench.draw(
        Plot(
          name: "replay", title: "Replaying a session", x: .init(title: "mutations in its log"),
          y: .init(title: "mutations a second", isLogarithmic: false),
          series: [.init(name: "reactord, sqlite", points: replayed)]))
    }
  }
}
