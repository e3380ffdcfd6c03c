/// The lines of an export: one JSON object each, the same as those of a store in a file.
package enum ExportLines {
  package static func session(
    _ key: SessionKey, epoch: String, created: Int64, parameters: [UInt8]?,
    globals: [String: UInt64] = [:], isEnded: Bool
  ) -> [UInt8] {
    var text: [UInt8] = []
    text.put("{\"session\":", string: "\(key.reactor)/\(key.id)")
    text.put(",\"epoch\":", string: epoch)
    text.put(",\"created\":", created)
    if let parameters { text.put(",\"parameters\":", json: parameters) }
    if !globals.isEmpty {
      var separator: StaticString = ",\"globals\":{"
      for (name, revision) in globals.sorted(by: { $0.key < $1.key }) {
        text.put(separator, string: name)
        text.put(":", revision)
        separator = ","
      }
      text.put("}")
    }
    text.put(isEnded ? ",\"ended\":true}" : "}")
    return text
  }

  package static func global(_ name: String, _ value: SharedValue) -> [UInt8] {
    var text: [UInt8] = []
    text.put("{\"shared\":", string: name)
    text.put(",\"epoch\":", string: value.epoch)
    text.put(",\"of\":", value.version)
    text.put(",\"revision\":", value.revision)
    text.put(",\"value\":", json: value.json)
    text.put("}")
    return text
  }

  package static func snapshot(_ snapshot: Snapshot) -> [UInt8] {
    var text: [UInt8] = []
    text.put("{\"snapshot\":", snapshot.version)
    text.put(",\"state\":", json: snapshot.state)
    if !snapshot.schema.isEmpty { text.put(",\"schema\":", string: snapshot.schema) }
    text.put("}")
    return text
  }

  package static func entry(_ entry: LogEntry) -> [UInt8] {
    var text: [UInt8] = []
    text.put("{\"version\":", entry.version)
    text.put(",\"at\":", entry.at.milliseconds)
    if let action = entry.action { text.put(",\"action\":", json: action) }
    if let global = entry.global {
      text.put(",\"global\":", string: global.name)
      text.put(",\"revision\":", global.revision)
    }
    if let by = entry.by { text.put(",\"by\":", string: by) }
    text.put(",\"mutation\":", json: entry.mutation)
    text.put("}")
    return text
  }

  package static func accepted(_ action: AcceptedAction) -> [UInt8] {
    var text: [UInt8] = []
    text.put("{\"accepted\":", action.id.request)
    text.put(",\"place\":", action.id.place)
    text.put(",\"at\":", action.at.milliseconds)
    text.put(",\"runs\":", action.runs)
    text.put(",\"action\":", json: action.action)
    if action.isInArray { text.put(",\"inArray\":true") }
    if let key = action.key {
      text.put(",\"key\":", string: key.name)
      text.put(",\"body\":", string: key.body)
    }
    if let failure = action.failure { text.put(",\"failure\":", json: failure.json) }
    if let principal = action.principal { text.put(",\"principal\":", json: principal) }
    if let name = action.sendName { text.put(",\"sendName\":", string: name) }
    if let context = action.context { text.put(",\"context\":", json: context) }
    text.put("}")
    return text
  }

  package static func outcome(_ outcome: StoredOutcome) -> [UInt8] {
    var text: [UInt8] = []
    text.put("{\"outcome\":", string: outcome.key.name)
    text.put(",\"body\":", string: outcome.key.body)
    text.put(",\"at\":", outcome.at.milliseconds)
    text.put(",\"of\":", outcome.version)
    if let failure = outcome.failure { text.put(",\"failure\":", json: failure.json) }
    text.put("}")
    return text
  }

  package static func timer(_ timer: StoredTimer) -> [UInt8] {
    var text: [UInt8] = []
    text.put("{\"timer\":", string: timer.id)
    text.put(",\"due\":", timer.due.milliseconds)
    text.put(",\"action\":", json: timer.action)
    if let period = timer.period { text.put(",\"period\":", period) }
    text.put(timer.catchesUp ? ",\"catchesUp\":true}" : "}")
    return text
  }

  package static func failure(_ failure: StoredFailure) -> [UInt8] {
    var text: [UInt8] = []
    text.put("{\"failed\":", string: failure.id)
    text.put(",\"at\":", failure.at.milliseconds)
    text.put(",\"action\":", json: failure.action)
    if let principal = failure.principal { text.put(",\"principal\":", json: principal) }
    if let context = failure.context { text.put(",\"context\":", json: context) }
    text.put(",\"failure\":", json: failure.failure.json)
    text.put("}")
    return text
  }
}
