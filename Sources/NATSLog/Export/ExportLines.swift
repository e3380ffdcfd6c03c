internal import ReactorLog

/// The lines of an export: one JSON object each, the same as those of a store in a file.
enum ExportLines {
  static func session(
    _ key: SessionKey, epoch: String, created: Int64, parameters: [UInt8]?, isEnded: Bool
  ) -> [UInt8] {
    var text: [UInt8] = []
    text.put("{\"session\":")
    text.put(string: "\(key.reactor)/\(key.id)")
    text.put(",\"epoch\":")
    text.put(string: epoch)
    text.put(",\"created\":")
    text.put(created)
    if let parameters {
      text.put(",\"parameters\":")
      text.put(json: parameters)
    }
    text.put(isEnded ? ",\"ended\":true}" : "}")
    return text
  }

  static func global(_ name: String, _ value: SharedValue) -> [UInt8] {
    var text: [UInt8] = []
    text.put("{\"shared\":")
    text.put(string: name)
    text.put(",\"epoch\":")
    text.put(string: value.epoch)
    text.put(",\"of\":")
    text.put(value.version)
    text.put(",\"revision\":")
    text.put(value.revision)
    text.put(",\"value\":")
    text.put(json: value.json)
    text.put("}")
    return text
  }

  static func snapshot(_ snapshot: Snapshot) -> [UInt8] {
    var text: [UInt8] = []
    text.put("{\"snapshot\":")
    text.put(snapshot.version)
    text.put(",\"state\":")
    text.put(json: snapshot.state)
    if !snapshot.schema.isEmpty {
      text.put(",\"schema\":")
      text.put(string: snapshot.schema)
    }
    text.put("}")
    return text
  }

  static func entry(_ entry: LogEntry) -> [UInt8] {
    var text: [UInt8] = []
    text.put("{\"version\":")
    text.put(entry.version)
    text.put(",\"at\":")
    text.put(entry.at.milliseconds)
    if let action = entry.action {
      text.put(",\"action\":")
      text.put(json: action)
    }
    if let global = entry.global {
      text.put(",\"global\":")
      text.put(string: global.name)
      text.put(",\"revision\":")
      text.put(global.revision)
    }
    if let by = entry.by {
      text.put(",\"by\":")
      text.put(string: by)
    }
    text.put(",\"mutation\":")
    text.put(json: entry.mutation)
    text.put("}")
    return text
  }

  static func accepted(_ action: AcceptedAction) -> [UInt8] {
    var text: [UInt8] = []
    text.put("{\"accepted\":")
    text.put(action.id.request)
    text.put(",\"place\":")
    text.put(action.id.place)
    text.put(",\"at\":")
    text.put(action.at.milliseconds)
    text.put(",\"runs\":")
    text.put(action.runs)
    text.put(",\"action\":")
    text.put(json: action.action)
    if action.isInArray { text.put(",\"inArray\":true") }
    if let key = action.key {
      text.put(",\"key\":")
      text.put(string: key.name)
      text.put(",\"body\":")
      text.put(string: key.body)
    }
    if let failure = action.failure {
      text.put(",\"failure\":")
      text.put(json: failure.json)
    }
    if let principal = action.principal {
      text.put(",\"principal\":")
      text.put(json: principal)
    }
    if let name = action.sendName {
      text.put(",\"sendName\":")
      text.put(string: name)
    }
    text.put("}")
    return text
  }

  static func outcome(_ outcome: StoredOutcome) -> [UInt8] {
    var text: [UInt8] = []
    text.put("{\"outcome\":")
    text.put(string: outcome.key.name)
    text.put(",\"body\":")
    text.put(string: outcome.key.body)
    text.put(",\"at\":")
    text.put(outcome.at.milliseconds)
    text.put(",\"of\":")
    text.put(outcome.version)
    if let failure = outcome.failure {
      text.put(",\"failure\":")
      text.put(json: failure.json)
    }
    text.put("}")
    return text
  }

  static func timer(_ timer: StoredTimer) -> [UInt8] {
    var text: [UInt8] = []
    text.put("{\"timer\":")
    text.put(string: timer.id)
    text.put(",\"due\":")
    text.put(timer.due.milliseconds)
    text.put(",\"action\":")
    text.put(json: timer.action)
    if let period = timer.period {
      text.put(",\"period\":")
      text.put(period)
    }
    text.put(timer.catchesUp ? ",\"catchesUp\":true}" : "}")
    return text
  }
}
