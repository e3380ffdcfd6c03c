/// An entry of the table of settings, with the type of its value erased.
///
/// The name is lowercase words joined by dots (`streams.heartbeat`). The flag, the environment variable
/// and the key of the configuration file are derived from it.
public struct Setting: Sendable {
  /// The name.
  public let name: String

  /// One or two sentences for the help.
  public let help: String

  /// The placeholder for the value in the help.
  let placeholder: String

  /// A description of the accepted values.
  let expected: String

  /// Parses a value and stores it in a configuration.
  let assign: @Sendable (SettingInput, inout Configuration) throws(SettingProblem) -> Void

  /// The value in a configuration, in the form of a flag.
  let text: @Sendable (Configuration) -> String

  /// The value in a configuration, in the form of the configuration file.
  let literal: @Sendable (Configuration) -> String

  /// Declares a setting whose value is a property of `Configuration`, and whose default is the
  /// property's initial value.
  package init<Value>(
    _ name: String, _ path: any WritableKeyPath<Configuration, Value> & Sendable,
    _ format: SettingFormat<Value>, help: String
  ) {
    self.init(
      name, format, help: help,
      read: { $0[keyPath: path] }, write: { $0[keyPath: path] = $1 })
  }

  init<Value>(
    _ name: String, _ format: SettingFormat<Value>, help: String,
    read: @escaping @Sendable (Configuration) -> Value,
    write: @escaping @Sendable (inout Configuration, Value) -> Void
  ) {
    self.name = name
    self.help = help
    placeholder = format.placeholder
    expected = format.expected
    assign = { input, configuration throws(SettingProblem) in
      write(&configuration, try format.read(input))
    }
    text = { format.write(read($0)) }
    literal = { format.literal(read($0)) }
  }

  /// Whether the setting is true or false, so that its flag needs no value.
  var isSwitch: Bool { placeholder == SettingFormat<Bool>.flag.placeholder }

  /// The flag: `--streams-heartbeat`.
  public var flag: String { Self.flag(of: name) }

  /// The environment variable: `REACTORD_STREAMS_HEARTBEAT`.
  public var variable: String { Self.variable(of: name) }

  static func flag(of name: String) -> String { "--" + name.replacing(".", with: "-") }

  static func variable(of name: String) -> String {
    prefix + name.uppercased().replacing(".", with: "_")
  }

  /// The prefix of every environment variable of the service.
  static let prefix = "REACTORD_"
}
