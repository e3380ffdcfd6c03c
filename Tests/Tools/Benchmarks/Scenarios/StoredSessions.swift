import Foundation

extension Scenario {
  /// The maximum response time while actions cycle through many stored sessions.
  ///
  /// Each action touches another page of the database, so that checkpoints of the write-ahead log
  /// write all of them.
  static var storedSessions: Scenario {
    Scenario(
      name: "stored-sessions",
      summary: "sessions of 60 mutations each, 2,000 actions per second in turn"
    ) { bench in
      let all = Contestants(bench: bench)
      let contestant = all.sqlite
      let database = bench.output.appending(path: "data/log.db")
      var points: [String: [Plot.Point]] = [:]
      for count in [100, 1000, 10_000, 50_000] {
        var load = StreamLoad(bench)
        load.sessions = count
        load.publishers = 32
        load.batch = 60
        load.count = count
        let writing = try contestant.start()
        _ = try load.run(contestant, writing)
        writing.stop()
        // The restarted server has no session in memory.
        let server = try all.startReactord(store: "sqlite:\(database.path)")
        load.batch = 1
        load.count = nil
        load.rate = 2000
        load.seconds = 5 * bench.seconds
        let times = try load.run(contestant, server).due
        for (name, time) in [("p50", times.p50), ("p99", times.p99), ("the longest", times.max)] {
          points[name, default: []].append(.init(x: Double(count), y: time))
          bench.report(
            Figure(
              load: "\(Double(count).legible) sessions, \(name)", contestant: contestant.name,
              unit: "ms", value: Sample([time])))
        }
      }
      try bench.draw(
        Plot(
          name: "stored-sessions",
          title: "Durable responses, 2,000 per second, all sessions in turn",
          x: .init(title: "stored sessions"), y: .init(title: "milliseconds"),
          series: ["p50", "p99", "the longest"].map { .init(name: $0, points: points[$0] ?? []) }))
    }
  }
}
