import Foundation

extension Scenario {
  /// The daemon compared with another build of it, usually the previous release.
  static var before: Scenario {
    Scenario(
      name: "before", summary: "the daemon beside the binary that BENCH_BEFORE names",
      isPartOfAll: false
    ) { bench in
      guard let path = ProcessInfo.processInfo.environment["BENCH_BEFORE"], !path.isEmpty else {
        throw BenchmarkError("BENCH_BEFORE names no reactord binary to compare with")
      }
      for isDurable in [false, true] {
        let pair = Contestants(bench: bench).pair(before: path, isDurable: isDurable)
        for connections in isDurable ? [64] : [1, 32] {
          try comparePosts(pair, connections: connections, bench)
        }
        try compareFanOut(pair, bench)
        try compareIdleStreams(pair, bench)
        try compareSessions(pair, bench)
      }
    }
  }

  private static func comparePosts(
    _ pair: [Contestant], connections: Int, _ bench: Bench
  ) throws {
    let outcomes = try bench.inTurns(pair, rounds: 3 * bench.rounds) { contestant in
      let server = try contestant.start()
      return try PostLoad.run(contestant, server, connections: connections, seconds: bench.seconds)
    }
    let load = "POST, \(connections) connections"
    compare(pair, load, "responses/s", bench) { outcomes[$0]?.map(\.rate) ?? [] }
    compare(pair, load, "µs of CPU/response", bench) {
      outcomes[$0]?.map { $0.processorTime * 1_000_000 } ?? []
    }
  }

  private static func compareFanOut(_ pair: [Contestant], _ bench: Bench) throws {
    let outcomes = try bench.inTurns(pair) { contestant in
      let server = try contestant.start()
      var load = StreamLoad(bench)
      load.subscribers = 5000
      load.rate = 20
      load.seconds = 2 * bench.seconds
      return try load.run(contestant, server)
    }
    compare(pair, "5,000 streams, p50", "ms", bench) { outcomes[$0]?.map(\.receipt.p50) ?? [] }
    compare(pair, "5,000 streams, p99", "ms", bench) { outcomes[$0]?.map(\.receipt.p99) ?? [] }
  }

  private static func compareIdleStreams(_ pair: [Contestant], _ bench: Bench) throws {
    let outcomes = try bench.inTurns(pair) { contestant in
      let server = try contestant.start()
      var load = StreamLoad(bench)
      load.subscribers = 15_000
      load.pause = 1
      return try load.hold(contestant, server) { $0 }
    }
    compare(pair, "15,000 idle streams", "bytes/stream", bench) { name in
      outcomes[name]?.map { ($0.resident.connected - $0.resident.before) / 15_000 } ?? []
    }
  }

  private static func compareSessions(_ pair: [Contestant], _ bench: Bench) throws {
    let outcomes = try bench.inTurns(pair) { contestant in
      let server = try contestant.start()
      var load = StreamLoad(bench)
      load.sessions = 100_000
      load.publishers = 32
      return try load.create(on: server, of: contestant)
    }
    compare(pair, "100,000 sessions", "sessions/s", bench) {
      outcomes[$0]?.map(\.actions.perSecond) ?? []
    }
    compare(pair, "100,000 sessions", "bytes/session", bench) { name in
      outcomes[name]?.map { ($0.resident.after - $0.resident.before) / 100_000 } ?? []
    }
  }

  /// Reports both figures, the first contestant's as a ratio to the second's.
  private static func compare(
    _ pair: [Contestant], _ load: String, _ unit: String, _ bench: Bench,
    _ values: (String) -> [Double]
  ) {
    let before = values(pair[1].name)
    bench.report(
      Figure(load: load, contestant: pair[1].name, unit: unit, value: Sample(before)))
    let own = values(pair[0].name)
    bench.report(
      Figure(
        load: load, contestant: pair[0].name, unit: unit, value: Sample(own),
        ratio: .init(to: pair[1].name, value: Sample(own, dividedBy: before))))
  }
}
