extension Scenario {
  /// The cost of a request.
  static var posts: Scenario {
    Scenario(
      name: "post", summary: "POST \"increase\", keep-alive connections, the response is the State"
    ) { bench in
      let all = Contestants(bench: bench)
      let plot = try measure(
        [all.bare, all.node, all.memory, all.sqlite], connections: [1, 32, 64, 256], bench)
      try bench.draw(plot)
    }
  }

  /// The cost that durability adds.
  static var durablePosts: Scenario {
    Scenario(
      name: "durable", summary: "POST \"increase\", in memory and on the disk", isPartOfAll: false
    ) { bench in
      let all = Contestants(bench: bench)
      _ = try measure([all.memory, all.sqlite], connections: [1, 32, 64, 256], bench)
    }
  }

  /// The cost of authentication: the token is verified once per connection.
  ///
  /// The reference is a server without any `auth` setting, whose requests have no token. The
  /// difference is a tenth of the scatter of a measurement, so this scenario has more rounds.
  static var authenticatedPosts: Scenario {
    Scenario(
      name: "token", summary: "POST \"increase\" with an Ed25519 token, and without"
    ) { bench in
      let all = Contestants(bench: bench)
      _ = try measure(
        [all.memory, all.authenticated], connections: [1, 32], rounds: 3 * bench.rounds, bench)
      bench.report(
        Figure(
          load: "a new token", contestant: "first verification", unit: "µs",
          value: Sample(try FirstVerification.times(count: 1_000)), aim: .atMost(200)))
    }
  }

  private static func measure(
    _ contestants: [Contestant], connections: [Int], rounds: Int? = nil, _ bench: Bench
  ) throws -> Plot {
    var points: [String: [Plot.Point]] = [:]
    for count in connections {
      let outcomes = try bench.inTurns(contestants, rounds: rounds) { contestant in
        let server = try contestant.start()
        return try PostLoad.run(
          contestant, server, connections: count, seconds: bench.seconds)
      }
      let rates = outcomes.mapValues { $0.map(\.rate) }
      for contestant in contestants {
        let rate = Sample(rates[contestant.name] ?? [])
        points[contestant.name, default: []].append(.init(x: Double(count), y: rate.median))
        report(contestant.name, rates, connections: count, bench)
      }
      let floor = outcomes[contestants[0].name] ?? []
      for contestant in contestants {
        let own = (outcomes[contestant.name] ?? []).map { $0.processorTime * 1_000_000 }
        let others = floor.map { $0.processorTime * 1_000_000 }
        bench.report(
          Figure(
            load: "\(count) connections", contestant: contestant.name, unit: "µs of CPU/response",
            value: Sample(own),
            ratio: contestant.name == contestants[0].name
              ? nil
              : .init(to: contestants[0].name, value: Sample(own, dividedBy: others))))
      }
    }
    return Plot(
      name: "post", title: "POST, the response is the State", x: .init(title: "connections"),
      y: .init(title: "responses per second", isLogarithmic: false),
      series: contestants.map { .init(name: $0.name, points: points[$0.name] ?? []) })
  }

  /// Prints a rate and its ratio to each reference.
  private static func report(
    _ name: String, _ rates: [String: [Double]], connections: Int, _ bench: Bench
  ) {
    let own = rates[name] ?? []
    let rivals: [(String, Aim?)] =
      switch name {
      case "reactord, memory":
        [
          ("bare handler", connections == 32 ? .atLeast(0.6) : nil),
          ("node", connections == 32 ? .atLeast(1) : nil),
        ]
      case "reactord, sqlite":
        [("reactord, memory", connections == 64 ? .atLeast(0.5) : nil)]
      case "reactord, Ed25519 token": [("reactord, memory", .atLeast(0.95))]
      case "node": [("bare handler", nil)]
      default: []
      }
    let figures = rivals.compactMap { rival, aim in
      rates[rival].map { others in
        Figure(
          load: "\(connections) connections", contestant: name, unit: "responses/s",
          value: Sample(own), ratio: .init(to: rival, value: Sample(own, dividedBy: others)),
          aim: aim)
      }
    }
    let alone = Figure(
      load: "\(connections) connections", contestant: name, unit: "responses/s", value: Sample(own))
    for figure in figures.isEmpty ? [alone] : figures { bench.report(figure) }
  }
}
