internal import ReactorCoding
internal import ReactorLog

// The records of a message as JSON: names of one or two letters, since each message repeats them.

extension LogEntry {
  // `t` time · `a` action · `g` name and revision of a global · `by` principal · `m` mutation
  func put(into text: inout [UInt8]) {
    text.put("{\"t\":", at.milliseconds)
    if let action { text.put(",\"a\":", json: action) }
    if let global {
      text.put(",\"g\":[", string: global.name)
      text.put(",", global.revision)
      text.put("]")
    }
    if let by { text.put(",\"by\":", string: by) }
    text.put(",\"m\":", json: mutation)
    text.put("}")
  }

  init?(_ json: JSONElement, version: Int) {
    guard let at = json["t"]?.integer(as: Int64.self), let mutation = json["m"]?.json else {
      return nil
    }
    var global: GlobalMark?
    if let mark = json["g"] {
      guard let name = mark[0]?.string, let revision = mark[1]?.integer(as: UInt64.self) else {
        return nil
      }
      global = GlobalMark(name: name, revision: revision)
    }
    self.init(
      version: version, at: Timestamp(milliseconds: at), action: json["a"]?.json, global: global,
      mutation: mutation, by: json["by"]?.string)
  }
}

extension IdempotencyKey {
  fileprivate func put(into text: inout [UInt8]) {
    text.put(",\"k\":[", string: name)
    text.put(",", string: body)
    text.put("]")
  }

  fileprivate init?(_ json: JSONElement?) {
    guard let name = json?[0]?.string, let body = json?[1]?.string else { return nil }
    self.init(stored: name, body: body)
  }
}

extension AcceptedAction {
  // `r` request · `l` place · `q` in an array · `t` time · `n` runs · `k` key · `p` principal ·
  // `c` context · `s` name of sends · `x` failure · `a` action
  func put(into text: inout [UInt8]) {
    text.put("{\"r\":", id.request)
    text.put(",\"l\":", id.place)
    if isInArray { text.put(",\"q\":1") }
    text.put(",\"t\":", at.milliseconds)
    text.put(",\"n\":", runs)
    key?.put(into: &text)
    if let principal { text.put(",\"p\":", json: principal) }
    if let context { text.put(",\"c\":", json: context) }
    if let sendName { text.put(",\"s\":", string: sendName) }
    if let failure { text.put(",\"x\":", json: failure.json) }
    text.put(",\"a\":", json: action)
    text.put("}")
  }

  init?(_ json: JSONElement) {
    guard let request: Int = json["r"]?.integer(), let place: Int = json["l"]?.integer(),
      let at = json["t"]?.integer(as: Int64.self), let runs: Int = json["n"]?.integer(),
      let action = json["a"]?.json, StoredValues.areCounts(request, place, runs)
    else { return nil }
    let key = IdempotencyKey(json["k"])
    guard (key == nil) == (json["k"] == nil) else { return nil }
    self.init(
      id: ID(request: request, place: place), action: action, isInArray: json["q"] != nil,
      key: key, principal: json["p"]?.json, context: json["c"]?.json,
      at: Timestamp(milliseconds: at), runs: runs,
      failure: json["x"].flatMap { ActionFailure(json: $0.json) }, sendName: json["s"]?.string)
  }
}

extension StoredOutcome {
  // `t` time · `v` version · `k` key · `x` failure
  func put(into text: inout [UInt8]) {
    text.put("{\"t\":", at.milliseconds)
    text.put(",\"v\":", version)
    key.put(into: &text)
    if let failure { text.put(",\"x\":", json: failure.json) }
    text.put("}")
  }

  init?(_ json: JSONElement) {
    guard let at = json["t"]?.integer(as: Int64.self), let version: Int = json["v"]?.integer(),
      let key = IdempotencyKey(json["k"]), StoredValues.areCounts(version)
    else { return nil }
    self.init(
      key: key, at: Timestamp(milliseconds: at), version: version,
      failure: json["x"].flatMap { ActionFailure(json: $0.json) })
  }
}

extension StoredTimer {
  // `id` · `t` due time · `r` period · `c` catches up · `a` action
  func put(into text: inout [UInt8]) {
    text.put("{\"id\":", string: id)
    text.put(",\"t\":", due.milliseconds)
    if let period { text.put(",\"r\":", period) }
    if catchesUp { text.put(",\"c\":1") }
    text.put(",\"a\":", json: action)
    text.put("}")
  }

  init?(_ json: JSONElement) {
    guard let id = json["id"]?.string, let due = json["t"]?.integer(as: Int64.self),
      let action = json["a"]?.json
    else { return nil }
    self.init(
      id: id, due: Timestamp(milliseconds: due), action: action,
      period: json["r"]?.integer(as: Int64.self), catchesUp: json["c"] != nil)
  }
}

extension Journal {
  // `a` unfinished actions · `u` timers · `g` names and revisions of globals
  func put(into text: inout [UInt8]) {
    text.put("{\"a\":")
    text.put(list: acceptedActions) { $1.put(into: &$0) }
    text.put(",\"u\":")
    text.put(list: timers.values.sorted { $0.id < $1.id }) { $1.put(into: &$0) }
    text.put(",\"g\":")
    text.put(list: globals.sorted { $0.key < $1.key }) { text, global in
      text.put("[", string: global.key)
      text.put(",", global.value)
      text.put("]")
    }
    text.put("}")
  }

  init?(_ json: JSONElement) {
    self.init()
    for element in json["a"]?.elements ?? [] {
      guard let action = AcceptedAction(element) else { return nil }
      set(action.id, action)
    }
    for element in json["u"]?.elements ?? [] {
      guard let timer = StoredTimer(element) else { return nil }
      set(timer.id, timer)
    }
    for element in json["g"]?.elements ?? [] {
      guard let name = element[0]?.string, let revision = element[1]?.integer(as: UInt64.self)
      else { return nil }
      set(name, revision)
    }
  }
}
