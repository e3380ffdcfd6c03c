extension Scenario {
  /// The hot path without a server, in nanoseconds and allocations.
  static var streams: Scenario {
    Scenario(
      name: "streams", summary: "elements through a reactor and through streams",
      isPartOfAll: false
    ) { try StreamBenchmarks.run($0) }
  }

  /// The service without a transport.
  static var inProcess: Scenario {
    Scenario(
      name: "in-process", summary: "POST without a transport", isPartOfAll: false
    ) { _ in
      for _ in 0..<5 { print("in-process POST:", InProcess.post(count: 200_000)) }
    }
  }
}
