/// The arguments after the command, split into flags and their values.
struct CommandLineArguments {
  /// One flag as it was given.
  enum Item: Equatable {
    /// A flag that takes no value and has none.
    case bare(String)

    /// A flag with its value.
    case valued(flag: String, value: String)
  }

  private var rest: ArraySlice<String>

  /// Takes the arguments after the command.
  init(_ arguments: some Sequence<String>) {
    rest = ArraySlice(Array(arguments))
  }

  /// The next flag, `nil` at the end.
  ///
  /// `takesValue` says for a flag, given with its dashes, whether a value belongs to it; `nil` says
  /// that there is no such flag. A word that begins with two dashes is never taken as a value.
  mutating func next(
    takesValue: (String) -> Bool?
  ) throws(ConfigurationError) -> Item? {
    guard let argument = rest.popFirst() else { return nil }
    guard argument.hasPrefix("-"), argument != "-" else {
      throw .usage("unexpected argument \"\(argument)\"")
    }
    let equals = argument.firstIndex(of: "=")
    let flag = String(argument[..<(equals ?? argument.endIndex)])
    guard let isValued = takesValue(flag) else { throw .usage("unknown flag \(flag)") }
    if let equals {
      guard isValued else { throw .usage("\(flag) takes no value") }
      return .valued(flag: flag, value: String(argument[argument.index(after: equals)...]))
    }
    guard isValued else { return .bare(flag) }
    guard let value = rest.first, !value.hasPrefix("--") else {
      throw .usage("\(flag) needs a value")
    }
    rest.removeFirst()
    return .valued(flag: flag, value: value)
  }
}
