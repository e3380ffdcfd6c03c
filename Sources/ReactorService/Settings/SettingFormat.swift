/// How values of one kind are read, named in the help, and written into the commented file.
///
/// The formats of the service's own settings are static members (`.duration(0...60)`, `.choice()`);
/// a daemon with settings of another kind makes its own.
public struct SettingFormat<Value: Sendable>: Sendable {
  /// The word for the value in the help: `SECONDS`, or the values to choose from.
  let placeholder: String

  /// What is taken, ending the sentence "expected …".
  let expected: String

  /// Reads a value, or says why not.
  let read: @Sendable (SettingInput) throws(SettingProblem) -> Value

  /// The value as it stands in a flag.
  let write: @Sendable (Value) -> String

  /// Whether the file has the value in quotes.
  let isString: Bool

  /// Makes a format of values that are strings in the file and text in a flag.
  ///
  /// `read` returns `nil` for text that it does not take; `write` gives back text that it does.
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

  /// Makes a format of values that are numbers in the file and decimal digits in a flag.
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

  /// Makes the format of truth values.
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

  private init(
    _ format: SettingFormat,
    read: @escaping @Sendable (SettingInput) throws(SettingProblem) -> Value
  ) {
    placeholder = format.placeholder
    expected = format.expected
    write = format.write
    isString = format.isString
    self.read = read
  }

  /// The same format with one more condition on the value.
  func refusing(
    _ objection: @escaping @Sendable (Value) -> SettingProblem?
  ) -> SettingFormat {
    SettingFormat(
      self,
      read: { input throws(SettingProblem) in
        let value = try read(input)
        if let problem = objection(value) { throw problem }
        return value
      })
  }

  /// The value as it stands in the commented file.
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
