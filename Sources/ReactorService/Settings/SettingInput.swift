/// What was found for a setting, before it is read as the setting's value.
///
/// It keeps apart what the sources keep apart: a flag and an environment variable are always text,
/// while the file knows numbers from strings.
enum SettingInput: Sendable, Equatable {
  /// From a flag or an environment variable.
  case text(String)

  /// From the configuration file.
  case json(ConfigurationValue)
}

extension SettingInput: CustomStringConvertible {
  /// The value as a message shows it.
  var description: String {
    switch self {
    case .text(""): "nothing"
    case .text(let text): text
    case .json(let value): value.description
    }
  }
}
