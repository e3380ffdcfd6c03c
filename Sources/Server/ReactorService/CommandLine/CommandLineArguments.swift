/// Splits the arguments of a command into flags and their values.
struct CommandLineArguments {
  /// A flag.
  enum Item: Equatable {
    /// A flag without a value.
    case bare(String)

    case valued(flag: String, value: String)
  }

  private var rest: ArraySlice<String>

  /// Creates an iterator over the arguments after the command.
  init(_ arguments: some Sequence<String>) {
    rest = ArraySlice(Array(arguments))
  }

  /// Returns the next flag, or `nil` at the end.
  ///
  /// `takesValue` returns whether a flag, which includes its dashes, has a value, or `nil` if the flag is
  /// unknown; then the error suggests one of `flags`. An argument that begins with two dashes is never a
  /// value. A flag of which `isSwitch` returns `true` has the value `true` if none follows.
  mutating func next(
    takesValue: (String) -> Bool?, isSwitch: (String) -> Bool = { _ in false },
    flags: [String] = []
  ) throws(ConfigurationError) -> Item? {
    guard let argument = rest.popFirst() else { return nil }
    guard argument.hasPrefix("-"), argument != "-" else {
      throw .usage("unexpected argument \"\(argument)\"")
    }
    let equals = argument.firstIndex(of: "=")
    let flag = String(argument[..<(equals ?? argument.endIndex)])
    guard let isValued = takesValue(flag) else {
      throw .usage("unknown flag \(flag)\(SettingsTable.hint(for: flag, among: flags))")
    }
    if let equals {
      guard isValued else { throw .usage("\(flag) takes no value") }
      return .valued(flag: flag, value: String(argument[argument.index(after: equals)...]))
    }
    guard isValued else { return .bare(flag) }
    guard let value = rest.first, !value.hasPrefix("--") else {
      guard isSwitch(flag) else { throw .usage("\(flag) needs a value") }
      return .valued(flag: flag, value: "true")
    }
    rest.removeFirst()
    return .valued(flag: flag, value: value)
  }
}
