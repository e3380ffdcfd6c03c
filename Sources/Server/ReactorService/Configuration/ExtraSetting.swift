/// A setting with a typed value, declared by the program that registers the reactors.
///
/// ```swift
/// let latency = ExtraSetting(
///   "weather.latency", default: .milliseconds(200), .duration(0...60),
///   help: "The response time of the weather service.")
///
/// CommandLineInterface.main(settings: [latency.setting]) { context in
///   let service = WeatherService(latency: context.configuration[latency])
/// }
/// ```
public struct ExtraSetting<Value: Sendable>: Sendable {
  /// The name: lowercase words joined by dots.
  public let name: String

  /// The default.
  public let defaultValue: Value

  /// The entry of the table of settings.
  public let setting: Setting

  /// Declares a setting, without checking its default against the format.
  public init(
    _ name: String, default defaultValue: Value, _ format: SettingFormat<Value>, help: String
  ) {
    self.name = name
    self.defaultValue = defaultValue
    setting = Setting(
      name, format, help: help,
      read: { $0.extras[name] as? Value ?? defaultValue },
      write: { $0.extras[name] = $1 })
  }
}
