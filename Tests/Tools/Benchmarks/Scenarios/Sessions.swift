import Foundation

extension Scenario {
  /// The cost of loaded sessions.
  static var sessionsAlive: Scenario {
    Scenario(name: "sessions", summary: "100,000 sessions, made by PUT over 32 connections") {
      bench in
      let all = Contestants(bench: bench)
      let contestants = [all.memory, all.sqlite]
      let outcomes = try bench.inTurns([all.bare] + contestants) { contestant in
        let server = try contestant.start()
        var load = StreamLoad(bench)
        load.sessions = 100_000
        load.publishers = 32
        return try load.create(on: server, of: contestant)
      }
      let floor = (outcomes[all.bare.name] ?? []).map(\.actions.perSecond)
      bench.report(
        Figure(
          load: "the same requests", contestant: all.bare.name, unit: "responses/s",
          value: Sample(floor)))
      for contestant in contestants {
        let own = outcomes[contestant.name] ?? []
        bench.report(
          Figure(
            load: "resident", contestant: contestant.name, unit: "bytes/session",
            value: Sample(own.map { ($0.resident.after - $0.resident.before) / 100_000 }),
            aim: .atMost(2048)))
        bench.report(
          Figure(
            load: "created", contestant: contestant.name, unit: "sessions/s",
            value: Sample(own.map(\.actions.perSecond)), aim: .atLeast(50_000)))
        // A target relative to the bare handler, independent of the machine: 50,000 sessions per
        // second where the bare handler serves 146,000 requests.
        bench.report(
          Figure(
            load: "created", contestant: contestant.name, unit: "sessions/s",
            value: Sample(own.map(\.actions.perSecond)),
            ratio: .init(
              to: all.bare.name,
              value: Sample(own.map(\.actions.perSecond), dividedBy: floor)),
            aim: .atLeast(0.34)))
      }
      func plot(
        _ name: String, _ title: String, _ unit: String,
        _ y: (StreamLoad.Outcome.Step, Double) -> Double
      ) -> Plot {
        Plot(
          name: name, title: title, x: .init(title: "sessions"), y: .init(title: unit),
          series: contestants.map { contestant in
            let outcome = outcomes[contestant.name]?.last
            let before = outcome?.resident.before ?? 0
            let points = (outcome?.actionGrowth ?? []).filter { $0.count >= 100 }
              .map { Plot.Point(x: Double($0.count), y: y($0, before)) }
            return .init(name: contestant.name, points: points)
          })
      }
      try bench.draw(
        plot(
          "sessions-memory", "Memory of sessions", "resident bytes beyond those of an empty server"
        ) {
          $0.resident - $1
        })
      try bench.draw(
        plot("sessions-time", "Making sessions", "seconds since the first") { step, _ in
          step.seconds
        })
    }
  }

  /// The restart time of a host.
  static var start: Scenario {
    Scenario(name: "start", summary: "cold start to listening with stored sessions") { bench in
      let all = Contestants(bench: bench)
      var points: [Plot.Point] = []
      for count in [1, 10, 100, 1000, 10_000, 100_000] {
        let durable = all.sqlite
        let database = bench.output.appending(path: "data/log.db")
        do {
          let server = try durable.start()
          var load = StreamLoad(bench)
          load.sessions = count
          load.publishers = min(32, count)
          _ = try load.create(on: server, of: durable)
          server.stop()
        }
        let times = try (0..<bench.rounds).map { _ in
          try PageCache.forget(database)
          let server = try all.startReactord(store: "sqlite:\(database.path)")
          return server.startTime / .milliseconds(1)
        }
        points.append(.init(x: Double(count), y: Sample(times).median))
        bench.report(
          Figure(
            load: "\(Double(count).legible) stored sessions", contestant: durable.name,
            unit: "ms to listening", value: Sample(times),
            aim: count == 100_000 ? .atMost(100) : nil))
      }
      try bench.draw(
        Plot(
          name: "start", title: "Cold start to listening", x: .init(title: "stored sessions"),
          y: .init(title: "milliseconds", isLogarithmic: false),
          series: [.init(name: "reactord, sqlite", points: points)]))
    }
  }
}
