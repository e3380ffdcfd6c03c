internal import ReactorService

/// The settings of the reactors that come with the daemon.
enum ReactorSettings {
  /// The time that the weather service takes to answer.
  static let weatherLatency = ExtraSetting(
    "weather.latency", default: .milliseconds(200), .duration(0...60),
    help: "How long the weather service takes to answer a search.")

  /// The time between two ticks of a stopwatch.
  static let stopwatchInterval = ExtraSetting(
    "stopwatch.interval", default: .seconds(1), .duration(0.01...3_600),
    help: "The time between two ticks of a running stopwatch.")

  /// Their lines in the table of settings.
  static let all = [weatherLatency.setting, stopwatchInterval.setting]
}
