extension Scenario {
  /// The maximum number of events per second.
  static var flood: Scenario {
    Scenario(
      name: "flood",
      summary: "1 session, 1,000 streams, actions each sent when the previous one has its response"
    ) { bench in
      let all = Contestants(bench: bench)
      // Retain so many entries in memory that no subscriber falls behind the log.
      let keep = ["--log-retain", "10000000"]
      let every = all.reactord("memory, replay=all", keep, query: "?replay=all")
      let latest = all.reactord("memory, latest")
      let durableEvery = all.reactord("sqlite, replay=all", isDurable: true, query: "?replay=all")
      let durableLatest = all.reactord("sqlite, latest", isDurable: true)
      let contestants = [all.nchan, all.node, every, latest, durableEvery, durableLatest]
      let outcomes = try bench.inTurns(contestants) { contestant in
        let server = try contestant.start()
        var load = StreamLoad(bench)
        load.subscribers = 1000
        load.rate = 0
        // The load creates a backlog by design: do not wait for the remaining events.
        load.drain = 0
        return try load.run(contestant, server)
      }
      let peers = (outcomes["nchan"] ?? []).map(\.deliveries.perSecond)
      for contestant in contestants {
        let own = (outcomes[contestant.name] ?? []).map(\.deliveries.perSecond)
        bench.report(
          Figure(
            load: "1,000 streams", contestant: contestant.name, unit: "deliveries/s",
            value: Sample(own),
            ratio: contestant.name == "nchan"
              ? nil : .init(to: "nchan", value: Sample(own, dividedBy: peers)),
            aim: contestant.isOurs ? .atLeast(1.3) : nil))
      }
      for contestant in contestants {
        bench.report(
          Figure(
            load: "1,000 streams", contestant: contestant.name, unit: "actions/s",
            value: Sample((outcomes[contestant.name] ?? []).map(\.actions.perSecond))))
      }
    }
  }
}
