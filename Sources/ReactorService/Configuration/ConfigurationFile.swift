internal import FoundationEssentials

/// A configuration file, read: its settings in the order of their names, each with its value.
struct ConfigurationFile {
  /// A file larger than this is a mistake.
  static let sizeLimit = 1_048_576

  /// The path as the operator gave it, for messages.
  let path: String

  private let root: [String: ConfigurationValue]

  /// Reads JSON5.
  init(path: String, bytes: [UInt8]) throws(ConfigurationError) {
    self.path = path
    let decoder = JSONDecoder()
    decoder.allowsJSON5 = true
    // Foundation's JSON5 reader traps on what is not UTF-8, so that it is given text only.
    guard let text = String(validating: bytes, as: UTF8.self),
      let value = try? decoder.decode(ConfigurationValue.self, from: Data(text.utf8))
    else {
      throw .configuration("\(path): this is not JSON5; 'reactord defaults' prints a file that is")
    }
    guard case .object(let root) = value else {
      throw .configuration("\(path): expected an object, found \(value)")
    }
    self.root = root
  }

  /// Sets what the file holds, or says which key is wrong.
  func apply(to configuration: inout Configuration, table: SettingsTable)
    throws(ConfigurationError)
  {
    try apply(root, in: "", to: &configuration, table: table)
  }

  // The table bounds the depth: only names that are groups of settings are entered.
  private func apply(
    _ object: [String: ConfigurationValue], in group: String, to configuration: inout Configuration,
    table: SettingsTable
  ) throws(ConfigurationError) {
    // Sorted, so that of several mistakes always the same one is told.
    for (key, value) in object.sorted(by: { $0.key < $1.key }) {
      let name = group.isEmpty ? key : "\(group).\(key)"
      if let setting = table.setting(name: name) {
        do {
          try setting.assign(.json(value), &configuration)
        } catch {
          throw .configuration("\(path): \(name): \(error.reason)")
        }
      } else if table.isGroup(name) {
        guard case .object(let members) = value else {
          throw .configuration("\(path): \(name): expected an object, found \(value)")
        }
        try apply(members, in: name, to: &configuration, table: table)
      } else {
        throw .configuration("\(path): unknown key \"\(name)\"")
      }
    }
  }
}
