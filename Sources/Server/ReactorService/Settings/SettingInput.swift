/// The unparsed value of a setting.
///
/// A flag or an environment variable is always text; the file distinguishes numbers from strings.
enum SettingInput: Sendable, Equatable {
  /// From a flag or an environment variable.
  case text(String)

  /// From the configuration file.
  case json(ConfigurationValue)
}

extension SettingInput: CustomStringConvertible {
  /// The value in an error message, without the user and the password of a URL.
  var description: String {
    let text =
      switch self {
      case .text(""): "nothing"
      case .text(let text): text
      case .json(let value): value.description
      }
    guard let scheme = text.firstRange(of: "://"), let at = text.lastIndex(of: "@"),
      at >= scheme.upperBound
    else { return text }
    return String(text[..<scheme.upperBound] + "***" + text[at...])
  }
}
