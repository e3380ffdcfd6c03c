/// One line of the table of settings, whatever the type of its value.
///
/// Its name is lowercase words joined by dots (`streams.heartbeat`); the flag, the environment
/// variable and the key of the file follow from it.
public struct Setting: Sendable {
  /// The name, as it stands in the documentation.
  public let name: String

  /// What the setting means: one or two sentences.
  public let help: String

  /// The word for the value in the help.
  let placeholder: String

  /// What values are taken.
  let expected: String

  /// Reads a value into a configuration.
  let assign: @Sendable (SettingInput, inout Configuration) throws(SettingProblem) -> Void

  /// The value in a configuration, as it stands in a flag.
  let text: @Sendable (Configuration) -> String

  /// The value in a configuration, as it stands in the commented file.
  let literal: @Sendable (Configuration) -> String

  /// Declares a setting that is a property of `Configuration`, whose initial value is its default.
  init<Value>(
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

  /// The flag: `--streams-heartbeat`.
  public var flag: String { "--" + name.replacing(".", with: "-") }

  /// The environment variable: `REACTORD_STREAMS_HEARTBEAT`.
  public var variable: String { Self.prefix + name.uppercased().replacing(".", with: "_") }

  /// What the names of all our environment variables begin with.
  static let prefix = "REACTORD_"
}
