import Testing

@testable import ReactorService
@testable import reactord

struct SettingsTableTests {
  @Test func `the committed file is the table`() throws {
    let committed = try SmallFile.read(Repository.file("config/reactord.json5"), limit: 100_000)
    let table = try SettingsTable(extras: ReactorSettings.all)
    // After a change of the table: reactord defaults > config/reactord.json5
    #expect(String(decoding: committed, as: UTF8.self) == table.defaultFile)
  }

  @Test func `the default file sets every setting, each to its default`() throws {
    let table = try SettingsTable(extras: ReactorSettings.all)
    let line = CommandLineCase(
      arguments: ["serve", "--config", "f"], files: ["f": table.defaultFile],
      settings: ReactorSettings.all)
    let configuration = try line.configuration()
    let defaults = Configuration()
    for setting in table.settings {
      #expect(setting.text(configuration) == setting.text(defaults))
      let key = setting.name.split(separator: ".").last ?? ""
      #expect(table.defaultFile.contains("  // \(setting.help)\n"))
      #expect(table.defaultFile.contains("  \(key): \(setting.literal(defaults)),\n"))
    }
  }

  @Test func `every default is a value that its setting takes`() throws {
    for setting in Configuration.settings + ReactorSettings.all {
      var configuration = Configuration()
      let text = setting.text(configuration)
      try setting.assign(.text(text), &configuration)
      #expect(setting.text(configuration) == text)
    }
  }

  @Test func `the names of a setting follow from one`() throws {
    let setting = try #require(Configuration.settings.first { $0.name == "streams.heartbeat" })
    #expect(setting.flag == "--streams-heartbeat")
    #expect(setting.variable == "REACTORD_STREAMS_HEARTBEAT")
  }

  @Test(arguments: [
    "listen", "streams", "config", "help", "version", "url", "", "a.", ".a",
    "a..b", "A", "a-b", "a_b", "ä",
  ])
  func `a name that is taken or cannot be is refused`(_ name: String) {
    let extra = ExtraSetting(name, default: 1, .count(0...1), help: "Nothing.")
    #expect(
      throws: ConfigurationError(
        message: "the setting \"\(name)\" is declared twice or under a name that cannot be",
        exitCode: 70)
    ) {
      _ = try SettingsTable(extras: [extra.setting])
    }
  }
}
