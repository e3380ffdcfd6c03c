/// A setting that is not the service's own: declared by whoever registers reactors, and read back
/// with its type.
///
/// ```swift
/// let latency = ExtraSetting(
///   "weather.latency", default: .milliseconds(200), .duration(0...60),
///   help: "How long the weather service takes to answer.")
///
/// CommandLineInterface.main(settings: [latency.setting]) { context in
///   let service = WeatherService(latency: context.configuration[latency])
/// }
/// ```
public struct ExtraSetting<Value: Sendable>: Sendable {
  /// The name: lowercase words joined by dots.
  public let name: String

  /// What holds when nothing is configured.
  public let defaultValue: Value

  /// The line for the table of settings.
  public let setting: Setting

  /// Declares a setting, whose default is not checked against the format.
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
