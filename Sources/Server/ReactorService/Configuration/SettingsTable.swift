internal import ReactorHTTP

/// The settings of one daemon, looked up by name, flag or environment variable: the service's own,
/// then those that the program declares.
struct SettingsTable: Sendable {
  /// The settings in the order of the help and of the default file; members of a group are adjacent.
  let settings: [Setting]

  private let byFlag: [String: Setting]
  private let byVariable: [String: Setting]
  private let byName: [String: Setting]
  private let groups: Set<String>

  /// Flags that are not settings.
  private static let reserved: Set = ["--config", "--help", "--url", "--version"]

  /// The settings that are also the names of groups.
  ///
  /// The file has either the value of one or the group as an object;
  /// the other one is written with a dotted key.
  private static let settingsWithGroup: Set = ["pages"]

  /// Adds declared settings to the service's own.
  ///
  /// - Throws: An error for a declaration whose name is in use, reserved, the name of a group, or not
  ///   lowercase words joined by dots.
  init(extras: [Setting]) throws(ConfigurationError) {
    settings = Configuration.settings + extras
    var byFlag: [String: Setting] = [:]
    var byVariable: [String: Setting] = [:]
    var byName: [String: Setting] = [:]
    var groups: Set<String> = []
    for setting in settings {
      guard Self.isName(setting.name), !Self.reserved.contains(setting.flag),
        byName.updateValue(setting, forKey: setting.name) == nil
      else { throw .declaration(setting.name) }
      byFlag[setting.flag] = setting
      byVariable[setting.variable] = setting
      groups.formUnion(Self.groups(of: setting.name))
    }
    if let name = groups.first(where: { byName[$0] != nil && !Self.settingsWithGroup.contains($0) })
    {
      throw .declaration(name)
    }
    self.byFlag = byFlag
    self.byVariable = byVariable
    self.byName = byName
    // In the object `supervise` of an earlier release, the members that are constants now are unknown.
    let former = Self.constants.flatMap { name, _ in Self.groups(of: name) }
    self.groups = groups.union(former.filter { byName[$0] != nil })
  }

  /// Returns the setting of a flag, which includes its dashes.
  func setting(flag: String) -> Setting? { byFlag[flag] }

  /// Returns the setting of an environment variable.
  func setting(variable: String) -> Setting? { byVariable[variable] }

  /// Returns the setting of a dotted name.
  func setting(name: String) -> Setting? { Self.isShort(name) ? byName[name] : nil }

  /// Returns whether this is the name of a group of settings.
  func isGroup(_ name: String) -> Bool { Self.isShort(name) && groups.contains(name) }

  /// The settings of earlier releases that are constants, with their values.
  private static let constants = [
    ("auth.jwt.leeway", "30 s"), ("bank.latency", "0.2 s"), ("http.permissions", "0660"),
    ("limits.buffered", "256 MiB, or a quarter of limits.memory if that is less"),
    ("limits.headers", "16 KiB"), ("sessions.limit", "1000000"),
    ("start.wait", "10 s for the address, 60 s for the store"), ("stopwatch.interval", "1 s"),
    ("streams.buffer", "256"), ("strict.types", "false; 'reactord log check' exits with 4"),
    ("supervise.watchdog", "10 s"), ("weather.latency", "0.2 s"),
  ]

  /// Returns the end of the error for an unknown key, flag or variable: that it is a constant, or the most similar
  /// one of those known.
  static func hint(for word: String, among known: [String]) -> String {
    guard isShort(word) else { return "" }
    let isKey = !word.hasPrefix("--") && !word.hasPrefix(Setting.prefix)
    let constant = constants.first { name, _ in
      // An object of the file is unknown if all settings of its group are constants.
      name == word || isKey && name.hasPrefix(word + ".")
        || Setting.flag(of: name) == word || Setting.variable(of: name) == word
    }
    guard let (name, value) = constant else { return Spelling.hint(for: word, among: known) }
    return "; \(name) is a constant now: \(value)"
  }

  // Hashing a long String costs quadratic time for some texts.
  private static func isShort(_ name: String) -> Bool { name.utf8.count <= 128 }

  /// Returns the groups that contain a name: `a` and `a.b` for `a.b.c`.
  static func groups(of name: String) -> [String] {
    name.indices.filter { name[$0] == "." }.map { String(name[..<$0]) }
  }

  private static func isName(_ name: String) -> Bool {
    name.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { word in
      !word.isEmpty && word.utf8.allSatisfy { (0x61...0x7A).contains($0) }
    }
  }
}
