import Foundation

extension Scenario {
  /// The streams of one State of 6 KB, of which each action changes 100 bytes, with and without gzip.
  static var compressedStreams: Scenario {
    Scenario(
      name: "compressed-streams",
      summary: "5,000 streams of a State of 6 KB, of which 100 bytes change, with gzip and without"
    ) { bench in
      let contestants = [false, true].map { Contestants(bench: bench).room(isCompressed: $0) }
      let outcomes = try bench.inTurns(contestants) { contestant in
        try ActionLoad.room(contestant.start(), contestant).run(streams: 5_000, actions: 100)
      }
      let measures: [(unit: String, aim: Double, value: (ActionLoad.Outcome) -> Double)] = [
        ("bytes/event", 0.1, \.bytes), ("µs of CPU/event", 1.5, \.processorTime),
      ]
      for (unit, aim, value) in measures {
        let plain = (outcomes[contestants[0].name] ?? []).map(value)
        for (index, contestant) in contestants.enumerated() {
          let own = (outcomes[contestant.name] ?? []).map(value)
          bench.report(
            Figure(
              load: "5,000 streams of 6 KB", contestant: contestant.name, unit: unit,
              value: Sample(own),
              ratio: index == 0
                ? nil : .init(to: "without gzip", value: Sample(own, dividedBy: plain)),
              aim: index == 0 ? nil : .atMost(aim)))
        }
      }
    }
  }
}

extension Contestants {
  fileprivate func room(isCompressed: Bool) -> Contestant {
    let session = "/v1/reactors/chat/sessions/1"
    return Contestant(
      name: isCompressed ? "reactord, gzip" : "reactord, plain", events: session + "/events",
      actions: session + "/actions"
    ) { try startReactord(store: "memory") }
  }
}

extension ActionLoad {
  fileprivate static func room(_ server: ServerUnderTest, _ contestant: Contestant) -> Self {
    // With its time and names, about 100 bytes of the State.
    func message() -> String {
      #"{"send":{"from":"ada","text":"\#(UUID().uuidString)"}}"#
    }
    let messages = (0..<60).map { _ in message() }
    return ActionLoad(
      server: server, contestant: contestant, preparation: [#"{"join":"ada"}"#] + messages,
      action: message)
  }
}
