import ReactorService
import Testing

struct ExtraSettingTests {
  private enum Unit: String, CaseIterable { case celsius, fahrenheit }

  private static let latency = ExtraSetting(
    "weather.latency", default: .milliseconds(200), .duration(0...60), help: "The time it takes.")
  private static let unit = ExtraSetting(
    "weather.unit", default: Unit.celsius, .choice(), help: "The unit of temperatures.")
  private static let city = ExtraSetting(
    "weather.city", default: "Oslo",
    SettingFormat(
      placeholder: "NAME", expected: "a name",
      read: { $0.isEmpty ? nil : $0 }, write: { $0 }), help: "The city to begin with.")
  private static let all = [latency.setting, unit.setting, city.setting]

  @Test func `an extra setting has its default`() throws {
    let line = CommandLineCase(arguments: ["serve"], settings: Self.all)
    let configuration = try line.configuration()
    #expect(configuration[Self.latency] == .milliseconds(200))
    #expect(configuration[Self.unit] == .celsius)
    #expect(Configuration()[Self.city] == "Oslo")
  }

  @Test func `an extra setting is read from the file, the environment and a flag`() throws {
    let line = CommandLineCase(
      arguments: ["serve", "--config=f", "--weather-latency", "0.5"],
      environment: ["REACTORD_WEATHER_UNIT": "fahrenheit"],
      files: ["f": "{ weather: { city: 'Bergen', latency: 3 } }"], settings: Self.all)
    let configuration = try line.configuration()
    #expect(configuration[Self.latency] == .milliseconds(500))
    #expect(configuration[Self.unit] == .fahrenheit)
    #expect(configuration[Self.city] == "Bergen")
  }

  @Test func `an undeclared extra setting is unknown`() {
    #expect(CommandLineCase(serve: "--weather-latency=1").error()?.exitCode == 64)
    #expect(
      CommandLineCase(file: "{ weather: {} }").error()?.message
        == "reactord.json5:1:3: unknown key \"weather\"; weather.latency is a constant now: 0.2 s")
  }
}
