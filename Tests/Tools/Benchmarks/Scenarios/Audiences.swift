import Foundation

extension Scenario {
  /// One projected session whose streams belong to several audiences.
  ///
  /// The view of an audience is encoded once per commit, for all of its streams.
  static var audiences: Scenario {
    Scenario(
      name: "audiences",
      summary: "1 projected session, 5,000 streams in 1 to 256 audiences, 20 actions a second"
    ) { bench in
      let all = Contestants(bench: bench)
      let contestants = [1, 2, 16, 256].map { all.crowd(of: $0) }
      let outcomes = try bench.inTurns(contestants) { contestant in
        var load = StreamLoad(bench)
        load.subscribers = 5000
        load.rate = 20
        load.seconds = 2 * bench.seconds
        return try load.run(contestant, contestant.start())
      }
      let measures: [(name: String, value: (StreamLoad.Outcome) -> Double)] = [
        ("CPU per commit", { $0.processor.server * 1000 / $0.actions.perSecond }),
        ("p50", { $0.receipt.p50 }), ("p99", { $0.receipt.p99 }),
      ]
      for (name, value) in measures {
        let one = (outcomes[contestants[0].name] ?? []).map(value)
        for (index, contestant) in contestants.enumerated() {
          let own = (outcomes[contestant.name] ?? []).map(value)
          bench.report(
            Figure(
              load: "5,000 streams, \(name)", contestant: contestant.name, unit: "ms",
              value: Sample(own),
              ratio: index == 0
                ? nil : .init(to: "one audience", value: Sample(own, dividedBy: one)),
              aim: index == 1 ? .atMost(1.15) : nil))
        }
      }
    }
  }
}

extension Contestants {
  /// A daemon with a projected session, whose streams have numbers as the names of their clients.
  fileprivate func crowd(of audiences: Int) -> Contestant {
    let session = "/v1/reactors/crowd/sessions/\(audiences)"
    return Contestant(
      name: "\(audiences) audience\(audiences == 1 ? "" : "s")",
      events: session + "/events?name={number}", actions: session + "/actions"
    ) {
      try startReactord(store: "memory", program: bench.programs.appending(path: "faulty"))
    }
  }
}
