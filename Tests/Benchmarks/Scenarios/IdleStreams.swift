extension Scenario {
  /// What an idle subscriber costs others.
  static var postsBesideStreams: Scenario {
    Scenario(
      name: "post-beside-streams", summary: "the same with 15,000 idle streams, 32 connections"
    ) { bench in
      let all = Contestants(bench: bench)
      let contestants = [all.memory, all.sqlite]
      let rates = try bench.inTurns(contestants) { contestant in
        let server = try contestant.start()
        func rate() throws -> Double {
          try PostLoad.run(contestant, server, connections: 32, seconds: bench.seconds).rate
        }
        // Without them before and after, so that neither the machine's drift nor the log's growth is
        // laid to the streams.
        let before = try rate()
        var load = StreamLoad(bench)
        load.subscribers = 15_000
        let with = try load.hold(contestant, server) { _ in try rate() }
        return (without: (before + (try rate())) / 2, with: with)
      }
      for contestant in contestants {
        let own = rates[contestant.name] ?? []
        bench.report(
          Figure(
            load: "15,000 idle streams", contestant: contestant.name, unit: "answers/s",
            value: Sample(own.map(\.with)),
            ratio: .init(
              to: "without them",
              value: Sample(own.map(\.with), dividedBy: own.map(\.without))),
            aim: .atLeast(0.95)))
      }
    }
  }

  /// What an idle subscriber costs the server.
  static var idleStreams: Scenario {
    Scenario(name: "idle-streams", summary: "resident memory of 15,000 idle streams of one session")
    { bench in
      let all = Contestants(bench: bench)
      let contestants = [all.memory, all.sqlite, all.nchan, all.node]
      let outcomes = try bench.inTurns(contestants) { contestant in
        let server = try contestant.start()
        var load = StreamLoad(bench)
        load.subscribers = 15_000
        load.settle = 1
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
            aim: contestant.name.hasPrefix("reactord") ? .atMost(1536) : nil))
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
