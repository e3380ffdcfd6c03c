/// Parses and writes the values of a setting, and describes them in the help.
///
/// The formats of the service's own settings are static members (`.duration(0...60)`, `.choice()`). A
/// daemon that declares settings of another type creates its own format.
public struct SettingFormat<Value: Sendable>: Sendable {
  /// The placeholder for the value in the help: `SECONDS`, or the values to choose from.
  let placeholder: String

  /// A description of the accepted values that completes the sentence "expected …".
  let expected: String

  /// Parses a value, or throws the reason it is rejected.
  let read: @Sendable (SettingInput) throws(SettingProblem) -> Value

  /// The value in the form of a flag.
  let write: @Sendable (Value) -> String

  /// Whether the value is a string in the configuration file.
  let isString: Bool

  /// Creates a format for values that are strings in the configuration file.
  ///
  /// - Parameters:
  ///   - placeholder: The placeholder for the value in the help.
  ///   - expected: A description of the accepted values that completes the sentence "expected …".
  ///   - read: Parses text; returns `nil` if it is rejected.
  ///   - write: Returns text that `read` accepts.
  public init(
    placeholder: String, expected: String,
    read: @escaping @Sendable (String) -> Value?, write: @escaping @Sendable (Value) -> String
  ) {
    self.placeholder = placeholder
    self.expected = expected
    self.read = { input throws(SettingProblem) in
      let text: String? =
        switch input {
        case .text(let text), .json(.string(let text)): text
        default: nil
        }
      guard let value = text.flatMap(read) else {
        throw SettingProblem(reason: "expected \(expected), found \(input)")
      }
      return value
    }
    self.write = write
    isString = true
  }

  /// Creates a format for values that are numbers in the configuration file.
  init(
    placeholder: String, expected: String,
    readNumber: @escaping @Sendable (SettingNumber) -> Value?,
    write: @escaping @Sendable (Value) -> String
  ) {
    self.placeholder = placeholder
    self.expected = expected
    read = { input throws(SettingProblem) in
      guard let number = SettingNumber(input), let value = readNumber(number) else {
        throw SettingProblem(reason: "expected \(expected), found \(input)")
      }
      return value
    }
    self.write = write
    isString = false
  }

  /// Creates a format for values that are neither strings nor numbers in the configuration file.
  ///
  /// - Parameters:
  ///   - placeholder: The placeholder for the value in the help.
  ///   - expected: A description of the accepted values that completes the sentence "expected …".
  ///   - readInput: Parses a value. Its second argument is `expected`.
  ///   - write: Returns JSON that `readInput` accepts as text.
  init(
    placeholder: String, expected: String,
    readInput:
      @escaping @Sendable (SettingInput, _ expected: String) throws(SettingProblem) -> Value,
    write: @escaping @Sendable (Value) -> String
  ) {
    self.placeholder = placeholder
    self.expected = expected
    read = { input throws(SettingProblem) in try readInput(input, expected) }
    self.write = write
    isString = false
  }

  /// Creates the format of Boolean values.
  init(placeholder: String, expected: String) where Value == Bool {
    self.placeholder = placeholder
    self.expected = expected
    read = { input throws(SettingProblem) in
      switch input {
      case .json(.boolean(let value)): return value
      case .text("true"): return true
      case .text("false"): return false
      default: throw SettingProblem(reason: "expected \(expected), found \(input)")
      }
    }
    write = { "\($0)" }
    isString = false
  }

  /// Returns the value in the form of the configuration file.
  func literal(_ value: Value) -> String {
    guard isString else { return write(value) }
    var literal = "\""
    for character in write(value) {
      if character == "\"" || character == "\\" { literal.append("\\") }
      literal.append(character)
    }
    return literal + "\""
  }
}
