/// All settings of one daemon: the service's own and the declared ones, found by each of their
/// names.
struct SettingsTable: Sendable {
  /// The settings in the order of the help and of the commented file: grouped.
  let settings: [Setting]

  private let byFlag: [String: Setting]
  private let byVariable: [String: Setting]
  private let byName: [String: Setting]
  private let groups: Set<String>

  /// Flags that are not settings, and so cannot be the flag of one.
  private static let reserved: Set = ["--config", "--help", "--url", "--version"]

  /// Joins the service's own settings with declared ones.
  ///
  /// A declaration that no name could be found by is refused: one whose name is taken or reserved,
  /// is also a group of other settings, or is not lowercase words joined by dots.
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
    if let name = groups.first(where: { byName[$0] != nil }) { throw .declaration(name) }
    self.byFlag = byFlag
    self.byVariable = byVariable
    self.byName = byName
    self.groups = groups
  }

  /// The setting of a flag, given with its dashes.
  func setting(flag: String) -> Setting? { byFlag[flag] }

  /// The setting of an environment variable.
  func setting(variable: String) -> Setting? { byVariable[variable] }

  /// The setting of a dotted name.
  func setting(name: String) -> Setting? { byName[name] }

  /// Whether settings exist whose names begin with this name and a dot.
  func isGroup(_ name: String) -> Bool { groups.contains(name) }

  /// The groups that a name lies in: `a` and `a.b` for `a.b.c`.
  static func groups(of name: String) -> [String] {
    name.indices.filter { name[$0] == "." }.map { String(name[..<$0]) }
  }

  private static func isName(_ name: String) -> Bool {
    name.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { word in
      !word.isEmpty && word.utf8.allSatisfy { (0x61...0x7A).contains($0) }
    }
  }
}
