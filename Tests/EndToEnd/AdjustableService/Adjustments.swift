import ReactorHTTP
import ReactorHost
import ReactorService

/// Settings for constants of `reactord`, so that a test reaches a bound with few bytes and in a short time.
enum Adjustments {
  static let weatherLatency = ExtraSetting(
    "weather.latency", default: .milliseconds(200), .duration(0...60),
    help: "The response time of the simulated weather service.")
  static let bankLatency = ExtraSetting(
    "bank.latency", default: .milliseconds(200), .duration(0...3_600),
    help: "The response time of the simulated bank.")
  static let stopwatchInterval = ExtraSetting(
    "stopwatch.interval", default: .seconds(1), .duration(0.01...3_600),
    help: "The interval of the ticks of a running stopwatch.")

  static let all = [
    weatherLatency.setting, bankLatency.setting, stopwatchInterval.setting,
    Setting(
      "streams.buffer", \.api.limits.streamBuffer, .count(1...65_536),
      help: "How many events a subscriber may fall behind."),
    Setting(
      "sessions.limit", \.host.sessionLimit, .count(1...1_000_000),
      help: "The maximum number of sessions in memory."),
    Setting(
      "start.wait", \.startWait, .duration(0...3_600),
      help: "How long to wait at the start for the address and the store."),
  ]
}
