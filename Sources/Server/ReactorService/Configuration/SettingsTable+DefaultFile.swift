extension SettingsTable {
  /// The commented default configuration file, which a test compares with `config/reactord.json5`.
  var defaultFile: String {
    var writer = DefaultFileWriter()
    let defaults = Configuration()
    for setting in settings {
      let isGrouped = !Self.groups(of: setting.name).contains { self.setting(name: $0) != nil }
      writer.write(setting, literal: setting.literal(defaults), isGrouped: isGrouped)
    }
    return writer.finish()
  }
}

/// Writes settings whose groups are adjacent as nested objects.
private struct DefaultFileWriter {
  private var text = """
    // The configuration of reactord (JSON5), with every setting at its default. Name the file with
    // --config FILE or REACTORD_CONFIG; settings that it omits have their defaults.
    //
    // The flag of streams.heartbeat is --streams-heartbeat, its environment variable
    // REACTORD_STREAMS_HEARTBEAT. A flag overrides the environment, which overrides this file.
    // Durations are in seconds, sizes in bytes.
    {

    """
  private var open: [Substring] = []
  private var isFirst = true

  mutating func write(_ setting: Setting, literal: String, isGrouped: Bool) {
    let words = isGrouped ? setting.name.split(separator: ".") : ["\"\(setting.name)\""]
    let groups = words.dropLast()
    while !groups.starts(with: open) { close() }
    if !isFirst { text += "\n" }
    for group in groups.dropFirst(open.count) {
      line("\(group): {")
      open.append(group)
    }
    line("// \(setting.help)")
    line("// Accepts \(setting.expected).")
    line("\(words[words.index(before: words.endIndex)]): \(literal),")
    isFirst = false
  }

  mutating func finish() -> String {
    while !open.isEmpty { close() }
    return text + "}\n"
  }

  private mutating func close() {
    open.removeLast()
    line("},")
  }

  private mutating func line(_ content: String) {
    text += String(repeating: "  ", count: open.count + 1) + content + "\n"
  }
}
