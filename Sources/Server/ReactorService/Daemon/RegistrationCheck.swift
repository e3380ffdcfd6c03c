internal import ReactorHTTP
internal import ReactorHost
internal import ReactorLog
internal import Telemetry

/// Checks the names of registered reactors and globals.
enum RegistrationCheck {
  /// Checks that every name is valid in a path and used once.
  static func check(
    reactors: [String], globals: [String]
  ) throws(ConfigurationError) {
    for (kind, names) in [("reactor", reactors), ("global", globals)] {
      var seen: Set<String> = []
      for name in names {
        // Names have the grammar of session ids: both are parts of paths, file names and metric
        // labels.
        guard SessionKey.isValid(id: name) else {
          throw .configuration(
            "the \(kind) \"\(name)\" has an invalid name: use 1 to 128 of A-Z a-z 0-9 . _ ~ -")
        }
        guard seen.insert(name).inserted else {
          throw .configuration("the \(kind) \"\(name)\" is registered twice")
        }
      }
    }
  }

  /// Checks the declarations of reactors, such as the modules of a flow.
  static func check(declarations: [ReactorRegistration]) throws(ConfigurationError) {
    for registration in declarations {
      guard let problem = registration.declarationProblem else { continue }
      throw .configuration("the reactor \"\(registration.name)\" cannot be hosted: \(problem)")
    }
  }

  /// Logs the reactors with a rule in `log.retain` that are not hosted: removed with a release, or misspelled.
  static func logUnknownReactors(
    in rules: RetentionRules, among reactors: [String], _ logger: Logger
  ) {
    for name in rules.byReactor.keys.sorted() where !reactors.contains(name) {
      logger.warning(
        "log.retain names a reactor that is not hosted\(Spelling.hint(for: name, among: reactors))",
        ["reactor": name])
    }
  }

  /// Logs the types that the schemas of reactors cannot describe, in one line per reactor.
  static func logUndescribedTypes(of registrations: [ReactorRegistration], _ logger: Logger) {
    for registration in registrations {
      let types = registration.undescribedTypes
      guard !types.isEmpty else { continue }
      logger.warning(
        "schemas do not describe some types of a reactor",
        ["reactor": registration.name, "types": types.joined(separator: ", ")])
    }
  }
}
