internal import ReactorService

/// The settings of the example reactors.
enum ReactorSettings {
  /// The response time of the simulated weather service.
  static let weatherLatency = ExtraSetting(
    "weather.latency", default: .milliseconds(200), .duration(0...60),
    help: "The response time of the simulated weather service.")

  /// The response time of the simulated bank.
  static let bankLatency = ExtraSetting(
    "bank.latency", default: .milliseconds(200), .duration(0...3_600),
    help: "The response time of the simulated bank.")

  /// The interval of the ticks of a stopwatch.
  static let stopwatchInterval = ExtraSetting(
    "stopwatch.interval", default: .seconds(1), .duration(0.01...3_600),
    help: "The interval of the ticks of a running stopwatch.")

  /// The entries of the table of settings.
  static let all = [weatherLatency.setting, bankLatency.setting, stopwatchInterval.setting]
}
