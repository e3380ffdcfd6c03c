/// A parsed configuration file.
struct ConfigurationFile {
  /// The maximum size of a configuration file.
  static let sizeLimit = 1_048_576

  /// The path of the file, for error messages.
  let path: String

  private let members: [ConfigurationValue.Member]

  /// Parses JSON5.
  init(path: String, bytes: [UInt8]) throws(ConfigurationError) {
    self.path = path
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw .configuration("\(path): the file is not UTF-8")
    }
    let value: ConfigurationValue
    do throws(JSON5Parser.Failure) {
      value = try JSON5Parser.parse(text)
    } catch {
      throw .configuration("\(path):\(error.position): \(error.reason)")
    }
    guard case .object(let members) = value else {
      throw .configuration("\(path): expected an object, found \(value)")
    }
    self.members = members
  }

  /// Assigns the settings in the file to a configuration.
  func apply(to configuration: inout Configuration, table: SettingsTable)
    throws(ConfigurationError)
  {
    var assigned: Set<String> = []
    try apply(members, in: "", to: &configuration, table: table, &assigned)
  }

  // The table bounds the recursion: only the groups of settings are entered.
  private func apply(
    _ members: [ConfigurationValue.Member], in group: String,
    to configuration: inout Configuration, table: SettingsTable, _ assigned: inout Set<String>
  ) throws(ConfigurationError) {
    for member in members {
      let name = group.isEmpty ? member.name : "\(group).\(member.name)"
      let place = "\(path):\(member.position)"
      var isObject = false
      if case .object = member.value { isObject = true }
      if let setting = table.setting(name: name), !(isObject && table.isGroup(name)) {
        // Once with its full name, and once in its group.
        guard assigned.insert(name).inserted else {
          throw .configuration("\(place): \(name) occurs twice")
        }
        do {
          try setting.assign(.json(member.value), &configuration)
        } catch {
          throw .configuration("\(place): \(name): \(error.reason)")
        }
      } else if table.isGroup(name) {
        guard case .object(let members) = member.value else {
          throw .configuration("\(place): \(name): expected an object, found \(member.value)")
        }
        try apply(members, in: name, to: &configuration, table: table, &assigned)
      } else {
        let hint = SettingsTable.hint(for: name, among: table.settings.map(\.name))
        throw .configuration("\(place): unknown key \"\(name)\"\(hint)")
      }
    }
  }
}
