internal import TerminalClient

/// Parses the arguments of a command, and reads the configuration from all sources.
struct InvocationReader {
  let table: SettingsTable
  let environment: [String: String]

  /// The flags of a command before they are applied.
  private struct Flags {
    var settings: [(Setting, String)] = []
    var file: String?
    var own: [String: [String]] = [:]
    var text: String?
  }

  /// Parses `reactord serve …`.
  func serve(
    _ arguments: ArraySlice<String>, readFile: (String) throws(FileProblem) -> [UInt8]
  ) throws(ConfigurationError) -> Invocation {
    let flags = try self.flags(arguments, help: table.help)
    if let text = flags.text { return .print(text) }
    let configuration = try configuration(flags, readFile: readFile)
    return .serve(configuration, warnings: warnings)
  }

  /// Parses `reactord log TASK …`.
  func log(
    _ arguments: ArraySlice<String>, readFile: (String) throws(FileProblem) -> [UInt8]
  ) throws(ConfigurationError) -> Invocation {
    guard let word = arguments.first, !word.hasPrefix("-") else {
      return try overview(arguments, of: "log")
    }
    let flags = try self.flags(
      arguments.dropFirst(), help: SettingsTable.overview, ownFlags: StoreTask.flags(of: word))
    if let text = flags.text { return .print(text) }
    let task = try StoreTask(word, flags.own)
    return .log(task, try configuration(flags, readFile: readFile))
  }

  /// Returns the usage if it is requested, instead of the task of a command.
  private func overview(
    _ arguments: ArraySlice<String>, of command: String
  ) throws(ConfigurationError) -> Invocation {
    guard let first = arguments.first, ["--help", "-h"].contains(first) else {
      throw .usage("'reactord \(command)' needs a task", help: "\n\(SettingsTable.overview)\n")
    }
    return .print(SettingsTable.overview)
  }

  /// Parses `reactord quarantine TASK …`.
  func quarantine(
    _ arguments: ArraySlice<String>, readFile: (String) throws(FileProblem) -> [UInt8]
  ) throws(ConfigurationError) -> Invocation {
    guard let word = arguments.first, !word.hasPrefix("-") else {
      return try overview(arguments, of: "quarantine")
    }
    let flags = try self.flags(
      arguments.dropFirst(), help: SettingsTable.overview)
    if let text = flags.text { return .print(text) }
    guard let task = QuarantineTask(rawValue: word) else {
      throw .unknown("task", word, among: QuarantineTask.allCases.map(\.rawValue))
    }
    return .quarantine(task, try configuration(flags, readFile: readFile))
  }

  /// Parses `reactord auth explain …`.
  func auth(
    _ arguments: ArraySlice<String>, readFile: (String) throws(FileProblem) -> [UInt8]
  ) throws(ConfigurationError) -> Invocation {
    guard let word = arguments.first, !word.hasPrefix("-") else {
      return .print(SettingsTable.overview)
    }
    guard word == "explain" else {
      throw .unknown("task", word, among: ["explain"])
    }
    let flags = try self.flags(
      arguments.dropFirst(), help: SettingsTable.overview, ownFlags: ExplainCommand.flags)
    if let text = flags.text { return .print(text) }
    let command = try ExplainCommand(flags.own, token: environment[RequestFields.variable])
    return .explain(command, try configuration(flags, readFile: readFile))
  }

  /// Parses `reactord health …`.
  ///
  /// Without a URL, the address is the one that the configuration listens on.
  func health(
    _ arguments: ArraySlice<String>, readFile: (String) throws(FileProblem) -> [UInt8]
  ) throws(ConfigurationError) -> Invocation {
    let flags = try self.flags(arguments, help: SettingsTable.overview, ownFlags: ["--url"])
    if let text = flags.text { return .print(text) }
    if let url = flags.own["--url"]?.last {
      guard let probe = HealthProbe(url: url) else {
        throw .configuration("--url: expected http://HOST:PORT or https://HOST, found \(url)")
      }
      return .health(probe)
    }
    return .health(HealthProbe(listen: try configuration(flags, readFile: readFile).listen))
  }

  /// Parses `reactord watch URL [--json]`.
  func watch(_ arguments: ArraySlice<String>) throws(ConfigurationError) -> Invocation {
    let parts = try ClientArguments(
      arguments, bare: ["--json"], valued: [], isClient: true)
    if let text = parts.text { return .print(text) }
    guard parts.words.count == 1 else {
      throw .usage("'reactord watch' needs the URL of a session")
    }
    return .watch(
      WatchCommand(
        session: try session(parts.words[0]), isJSON: parts.flags["--json"] != nil,
        fields: try parts.fields()))
  }

  /// Parses `reactord changes URL` with the flags `--reactor R`, `--session S`, `--with
  /// entries|state` and `--after-file F`.
  func changes(_ arguments: ArraySlice<String>) throws(ConfigurationError) -> Invocation {
    let parts = try ClientArguments(
      arguments, bare: [], valued: ["--reactor", "--session", "--with", "--after-file"],
      isClient: true)
    if let text = parts.text { return .print(text) }
    guard parts.words.count == 1 else {
      throw .usage("'reactord changes' needs the URL of a server")
    }
    let isName: (String) -> Bool = { $0.utf8.allSatisfy { (0x21...0x7E).contains($0) } }
    for flag in ["--reactor", "--session", "--with"] {
      guard let value = parts.flags[flag], !isName(value) || value.contains(where: "&#=?%".contains)
      else { continue }
      throw .usage("\(flag): expected a name, found \(value)")
    }
    guard
      let command = ChangesCommand(
        url: parts.words[0], reactor: parts.flags["--reactor"],
        session: parts.flags["--session"], content: parts.flags["--with"],
        positionFile: parts.flags["--after-file"], fields: try parts.fields())
    else { throw .usage("expected http://HOST:PORT or https://HOST, found \(parts.words[0])") }
    return .changes(command)
  }

  /// Parses `reactord send URL ACTION [--wait SECONDS]`; `-` reads the action from standard input.
  func send(_ arguments: ArraySlice<String>) throws(ConfigurationError) -> Invocation {
    let parts = try ClientArguments(arguments, bare: [], valued: ["--wait"], isClient: true)
    if let text = parts.text { return .print(text) }
    guard parts.words.count == 2 else {
      throw .usage("'reactord send' needs the URL of a session and an action")
    }
    var wait: Int?
    if let text = parts.flags["--wait"] {
      guard let seconds = Int(text), (0...3600).contains(seconds) else {
        throw .usage("--wait: expected whole seconds, at most 3600, found \(text)")
      }
      wait = seconds
    }
    let action: SendCommand.Action = parts.words[1] == "-" ? .standardInput : .text(parts.words[1])
    return .send(
      SendCommand(
        session: try session(parts.words[0]), action: action, wait: wait,
        fields: try parts.fields()))
  }

  /// Parses `reactord new NAME [--example EXAMPLE] [--rx] [--package PATH|URL]`.
  func new(_ arguments: ArraySlice<String>) throws(ConfigurationError) -> Invocation {
    let parts = try ClientArguments(arguments, bare: ["--rx"], valued: ["--example", "--package"])
    if let text = parts.text { return .print(text) }
    guard parts.words.count == 1 else {
      throw .usage("'reactord new' needs the name of the package")
    }
    guard let name = PackageName(parts.words[0]) else {
      throw .usage(
        "\"\(parts.words[0])\" is not a package name; use lower-case letters, digits and single "
          + "hyphens, at most 40, beginning with a letter")
    }
    if let place = parts.flags["--package"], place.isEmpty || place.hasPrefix("-") {
      throw .usage("--package needs the folder or the git repository of reactord's sources")
    }
    guard let source = parts.flags["--package"].map(PackageSource.init) ?? .find() else {
      throw .usage(
        "the sources of reactord were not found; name their folder or git repository with --package"
      )
    }
    guard source.identity != name.text else {
      throw .usage(
        "a package \"\(name.text)\" cannot depend on one of the same name; choose another name")
    }
    if case .path(let folder) = source, folder.contains(where: \.isWhitespace) {
      throw .usage(
        "make and Docker take no white space in \"\(folder)\"; name a link to the folder")
    }
    let example = try parts.flags["--example"].map(example)
    return .new(
      NewPackageCommand(
        name: name, source: source, example: example, hasRx: parts.flags["--rx"] != nil))
  }

  private func example(_ name: String) throws(ConfigurationError) -> PackageExample {
    guard let example = PackageExample.all.first(where: { $0.name == name }) else {
      let names = PackageExample.all.map(\.name).joined(separator: ", ")
      throw .usage("there is no example \"\(name)\"; choose one of \(names)")
    }
    return example
  }

  private func session(_ url: String) throws(ConfigurationError) -> SessionURL {
    guard let session = SessionURL(url) else {
      throw .usage(
        "expected http://HOST:PORT/v1/reactors/REACTOR/sessions/SESSION, or https, found \(url)")
    }
    return session
  }

  private func flags(
    _ arguments: ArraySlice<String>, help: String, ownFlags: [String] = []
  ) throws(ConfigurationError) -> Flags {
    var flags = Flags()
    var items = CommandLineArguments(arguments)
    let takesValue = { (flag: String) -> Bool? in
      switch flag {
      case "--help", "-h", "--version": false
      case "--config": true
      case _ where ownFlags.contains(flag): true
      default: table.setting(flag: flag) == nil ? nil : true
      }
    }
    let names =
      ["--config", "--help", "--version"] + ownFlags + table.settings.map(\.flag)
    let isSwitch = { (flag: String) in table.setting(flag: flag)?.isSwitch == true }
    while let item = try items.next(takesValue: takesValue, isSwitch: isSwitch, flags: names) {
      switch item {
      case .bare("--version"):
        flags.text = ServiceVersion.line
        return flags
      case .bare:
        flags.text = help
        return flags
      case .valued("--config", let path): flags.file = path
      case .valued(let flag, let value) where ownFlags.contains(flag):
        flags.own[flag, default: []].append(value)
      case .valued("--store", let value) where StoreChoice(value)?.hasPassword == true:
        throw .usage(
          "--store: other users see the password of an argument; set it in the file of settings, "
            + "REACTORD_STORE or PGPASSFILE")
      case .valued(let flag, let value):
        if let setting = table.setting(flag: flag) { flags.settings.append((setting, value)) }
      }
    }
    return flags
  }

  private func configuration(
    _ flags: Flags, readFile: (String) throws(FileProblem) -> [UInt8]
  ) throws(ConfigurationError) -> Configuration {
    var configuration = Configuration()
    if let path = flags.file ?? environment[Self.fileVariable] {
      let bytes: [UInt8]
      do {
        bytes = try readFile(path)
      } catch {
        throw .configuration("cannot read the configuration file \"\(path)\": \(error.reason)")
      }
      try ConfigurationFile(path: path, bytes: bytes).apply(to: &configuration, table: table)
    }
    for setting in table.settings {
      guard let text = environment[setting.variable] else { continue }
      try assign(text, to: setting, named: setting.variable, in: &configuration)
    }
    for (setting, text) in flags.settings {
      try assign(text, to: setting, named: setting.flag, in: &configuration)
    }
    return configuration
  }

  private func assign(
    _ text: String, to setting: Setting, named place: String,
    in configuration: inout Configuration
  ) throws(ConfigurationError) {
    do {
      try setting.assign(.text(text), &configuration)
    } catch {
      throw .configuration("\(place): \(error.reason)")
    }
  }

  /// Warnings about environment variables that begin with `REACTORD_` and are not settings.
  ///
  /// They are not errors because Kubernetes sets `REACTORD_PORT` and others for a Service.
  private var warnings: [String] {
    environment.keys.sorted()
      .filter {
        $0.hasPrefix(Setting.prefix) && $0 != Self.fileVariable && $0 != SupervisorLink.variableName
          && table.setting(variable: $0) == nil
      }
      .map {
        "the environment variable \($0) is not a setting of reactord; ignored"
          + SettingsTable.hint(for: $0, among: [])
      }
  }

  private static let fileVariable = Setting.prefix + "CONFIG"
}
