extension Scenario {
  /// The cost of idle subscribers to other clients.
  static var postsBesideStreams: Scenario {
    Scenario(
      name: "post-beside-streams", summary: "the same with 15,000 idle streams, 32 connections"
    ) { bench in
      let all = Contestants(bench: bench)
      let contestants = [all.memory, all.sqlite]
      let windows = try bench.inTurns(contestants) { contestant in
        try measureBesideStreams(contestant, bench)
      }.mapValues { $0.flatMap(\.self) }
      func report(
        _ unit: String, aim: Aim? = nil, _ figure: (PostLoad.Outcome) -> Double
      ) {
        for contestant in contestants {
          let own = windows[contestant.name] ?? []
          let with = own.map { figure($0.with) }
          let without = own.map { figure($0.without) }
          bench.report(
            Figure(
              load: "15,000 idle streams", contestant: contestant.name, unit: unit,
              value: Sample(with),
              ratio: .init(to: "without them", value: Sample(with, dividedBy: without)), aim: aim))
        }
      }
      report("responses/s", aim: .atLeast(0.95)) { $0.rate }
      report("µs of CPU/response") { $0.processorTime * 1_000_000 }
    }
  }

  /// Alternates windows with and without streams on the same server.
  ///
  /// Each window with streams is compared with the two around it, which cancels the drift of the
  /// machine and the growth of the log.
  private static func measureBesideStreams(
    _ contestant: Contestant, _ bench: Bench
  ) throws -> [(without: PostLoad.Outcome, with: PostLoad.Outcome)] {
    let server = try contestant.start()
    func window() throws -> PostLoad.Outcome {
      try PostLoad.run(contestant, server, connections: 32, seconds: bench.seconds)
    }
    var load = StreamLoad(bench)
    load.subscribers = 15_000
    var before = try window()
    var windows: [(without: PostLoad.Outcome, with: PostLoad.Outcome)] = []
    for _ in 0..<bench.rounds {
      let with = try load.hold(contestant, server) { _ in try window() }
      let after = try window()
      windows.append((without: .mean(before, after), with: with))
      before = after
    }
    return windows
  }

  /// The cost of an idle subscriber to the server, in memory.
  static var idleStreams: Scenario {
    Scenario(name: "idle-streams", summary: "resident memory of 15,000 idle streams of one session")
    { bench in
      let all = Contestants(bench: bench)
      let contestants = [all.memory, all.sqlite, all.nchan, all.node]
      let outcomes = try bench.inTurns(contestants) { contestant in
        let server = try contestant.start()
        var load = StreamLoad(bench)
        load.subscribers = 15_000
        load.pause = 1
        return try load.hold(contestant, server) { $0 }
      }
      func bytes(_ name: String) -> [Double] {
        (outcomes[name] ?? []).map { ($0.resident.connected - $0.resident.before) / 15_000 }
      }
      for contestant in contestants {
        bench.report(
          Figure(
            load: "15,000 idle streams", contestant: contestant.name, unit: "bytes/stream",
            value: Sample(bytes(contestant.name)),
            aim: contestant.isOurs ? .atMost(1536) : nil))
      }
      try bench.draw(
        Plot(
          name: "idle-streams", title: "Memory of idle streams", x: .init(title: "streams"),
          y: .init(title: "resident bytes beyond those of an empty server"),
          series: contestants.map { contestant in
            let outcome = outcomes[contestant.name]?.last
            let before = outcome?.resident.before ?? 0
            let points = (outcome?.streamGrowth ?? []).filter { $0.count >= 100 }
              .map { Plot.Point(x: Double($0.count), y: $0.resident - before) }
            return .init(name: contestant.name, points: points)
          }))
    }
  }
}
