import FoundationEssentials
import Testing

@testable import ReactorService

struct SettingsTableTests {
  /// After a change of the table, `make settings` writes the files.
  @Test(arguments: [
    ("config/reactord.json5", \SettingsTable.defaultFile),
    ("Sources/Server/ReactorService/Documentation.docc/Settings.md", \SettingsTable.documentation),
  ])
  func `the committed files agree with the table`(
    _ name: String, _ text: any KeyPath<SettingsTable, String> & Sendable
  ) throws {
    let table = try SettingsTable(extras: [])
    let path = Repository.file(name)
    if ProcessInfo.processInfo.environment["WRITE_SETTINGS"] != nil {
      try Data(table[keyPath: text].utf8).write(to: URL(filePath: path))
    }
    let committed = try SmallFile.read(path, limit: 100_000)
    #expect(String(decoding: committed, as: UTF8.self) == table[keyPath: text])
  }

  @Test func `the default file sets every setting to its default`() throws {
    let table = try SettingsTable(extras: [])
    let line = CommandLineCase(
      arguments: ["serve", "--config", "f"], files: ["f": table.defaultFile])
    let configuration = try line.configuration()
    let defaults = Configuration()
    for setting in table.settings {
      #expect(setting.text(configuration) == setting.text(defaults))
      // `pages` is a setting, not a group.
      let isAlone = setting.name == "pages.fallback"
      let key = isAlone ? "\"\(setting.name)\"" : setting.name.split(separator: ".").last ?? ""
      #expect(table.defaultFile.contains("  // \(setting.help)\n"))
      #expect(table.defaultFile.contains("  \(key): \(setting.literal(defaults)),\n"))
    }
  }

  @Test func `every setting accepts its default`() throws {
    for setting in Configuration.settings {
      var configuration = Configuration()
      let text = setting.text(configuration)
      try setting.assign(.text(text), &configuration)
      #expect(setting.text(configuration) == text)
    }
  }

  @Test func `no two settings store their value in the same property`() throws {
    // For each setting, one of these values is valid and not the default.
    let candidates =
      ["1", "7", "3601", "explicit", "true", "false", "json", "trace", "[::1]:1", "memory", "f"]
      + ["http://a", "10.0.0.1", "30d", "forwarded", "optional", "never", "/a"]
      + [#"[{"allow":"read"}]"#, #"[{"issuer":"https://a.example","audience":"a"}]"#]
      + [#"[{"claim":"a","from":"b","matching":"c"}]"#]
    for setting in Configuration.settings {
      var configuration = Configuration()
      let text = setting.text(configuration)
      for candidate in candidates where setting.text(configuration) == text {
        try? setting.assign(.text(candidate), &configuration)
      }
      let changed = Configuration.settings.filter {
        $0.text(configuration) != $0.text(Configuration())
      }
      #expect(changed.map(\.name) == [setting.name])
    }
  }

  @Test func `the flag and the environment variable are derived from the name`() throws {
    let setting = try #require(Configuration.settings.first { $0.name == "streams.heartbeat" })
    #expect(setting.flag == "--streams-heartbeat")
    #expect(setting.variable == "REACTORD_STREAMS_HEARTBEAT")
  }

  @Test(arguments: [
    "listen", "streams", "config", "help", "version", "url", "", "a.", ".a",
    "a..b", "A", "a-b", "a_b", "ä",
  ])
  func `a declared setting needs a valid and unused name`(_ name: String) {
    let extra = ExtraSetting(name, default: 1, .count(0...1), help: "Nothing.")
    #expect(
      throws: ConfigurationError(
        message: "the setting \"\(name)\" is declared twice or under an invalid name",
        exitCode: 70)
    ) {
      _ = try SettingsTable(extras: [extra.setting])
    }
  }
}
