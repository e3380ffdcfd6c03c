extension SettingsTable {
  /// The commented default file: every setting at its default, below what it means and takes.
  ///
  /// `config/reactord.json5` is this text, which a test holds it to.
  var defaultFile: String {
    var writer = DefaultFileWriter()
    let defaults = Configuration()
    for setting in settings { writer.write(setting, literal: setting.literal(defaults)) }
    return writer.finish()
  }
}

/// Writes settings that come grouped as the nested objects that make their dots.
private struct DefaultFileWriter {
  private var text = """
    // The configuration of reactord (JSON5), with every setting at its default. Name the file with
    // --config FILE or REACTORD_CONFIG; what it leaves out stays at its default.
    //
    // streams.heartbeat here is --streams-heartbeat on the command line, which wins over
    // REACTORD_STREAMS_HEARTBEAT in the environment, which wins over this file. Durations are
    // seconds, sizes are bytes.
    {

    """
  private var open: [Substring] = []
  private var isFirst = true

  mutating func write(_ setting: Setting, literal: String) {
    let words = setting.name.split(separator: ".")
    let groups = words.dropLast()
    while !groups.starts(with: open) { close() }
    if !isFirst { text += "\n" }
    for group in groups.dropFirst(open.count) {
      line("\(group): {")
      open.append(group)
    }
    line("// \(setting.help)")
    line("// Takes \(setting.expected).")
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
