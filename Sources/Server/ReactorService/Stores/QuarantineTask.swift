internal import ReactorHost
internal import ReactorLog
internal import Telemetry

/// A task of `reactord quarantine …`.
public enum QuarantineTask: String, CaseIterable, Sendable {
  /// Print the quarantined actions and sessions, one JSON object per line.
  case list

  /// Permit the quarantined actions and sessions again.
  case clear

  /// Executes the task, also while a daemon uses the store.
  func execute(_ configuration: Configuration) throws(ConfigurationError) {
    if case .postgres(let address) = configuration.store {
      return try execute(configuration, atDatabase: address)
    }
    guard case .sqlite(let path) = configuration.store else {
      throw .configuration(
        "'reactord quarantine' needs a store sqlite:PATH or postgres://, found \(configuration.store)"
      )
    }
    guard let marks = CrashMarks(besideStore: path, creating: false) else {
      throw .configuration("cannot open \"\(path).marks\", which the daemon creates")
    }
    let entries = marks.quarantined
    switch self {
    case .list: for entry in entries { print(Self.line(entry)) }
    case .clear:
      marks.clearQuarantine()
      print("\(entries.count) entries removed")
    }
  }

  /// Returns an entry as a JSON object.
  static func line(_ entry: QuarantinedAction) -> String {
    func quoted(_ text: String) -> String {
      var bytes: [UInt8] = []
      LogEscape.json.write(text, to: &bytes, limit: LogFormat.lineLimit)
      return "\"" + String(decoding: bytes, as: UTF8.self) + "\""
    }
    return
      "{\"reactor\":\(quoted(entry.session.reactor)),\"session\":\(entry.session.id.isEmpty ? "null" : quoted(entry.session.id)),"
      + "\"action\":\(entry.action.map(quoted) ?? "null"),\"at\":\(quoted(entry.at.description)),"
      + "\"signal\":\(quoted(entry.signal))}"
  }
}
