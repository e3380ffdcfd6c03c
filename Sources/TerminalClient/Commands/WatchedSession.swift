internal import ClientCore
internal import ReactorCoding

/// The last known State of a watched session; prints each event.
struct WatchedSession {
  private let name: String
  private let isJSON: Bool
  private let text: ChangeText
  private let output = StandardOutput()
  private var state: JSONValue?
  /// The screens that were printed last, if the State has a stack.
  private var screens: String?

  /// The cursor of the last event; `nil` before the first one.
  private(set) var cursor: String?

  /// The number of events received.
  private(set) var eventCount = 0

  /// Whether the session has ended.
  private(set) var hasEnded = false

  /// Whether an event was received.
  var hasBegun: Bool { cursor != nil }

  init(_ name: String, isJSON: Bool, isColoured: Bool) {
    self.name = name
    self.isJSON = isJSON
    text = ChangeText(isColoured: isColoured)
  }

  /// Applies an event and prints it.
  mutating func apply(_ event: EventParser.Event) throws(CommandFailure) {
    eventCount += 1
    switch event.name {
    case "message", "state": try apply(state: event)
    case "patch": try apply(patch: event)
    case "reset":
      state = nil
      if !isJSON { try print(text.heading(name, note: "begins a new history")) }
    case "end":
      hasEnded = true
      if !isJSON { try print(text.heading(name, note: "has ended")) }
    default: break
    }
  }

  private mutating func apply(state event: EventParser.Event) throws(CommandFailure) {
    guard let next = try? JSONDocument(parsing: event.data) else { return }
    defer {
      state = JSONValue(next.root)
      cursor = event.id ?? cursor
    }
    if isJSON { return try print(event.text) }
    try print(text.heading("\(name) \(event.id ?? "")"))
    // After a gap the server sends the whole State; print the difference all the same.
    if let state, let known = try? JSONDocument(parsing: state.bytes),
      let document = try? JSONDocument(parsing: JSONDifference.patch(from: known, to: next)),
      let patch = try? JSONPatch(document.root)
    {
      for line in text.lines(of: patch, on: state) { try print("  " + line) }
    } else {
      try print("  " + ChangeText.printable(event.text))
    }
    try printScreens(of: JSONValue(next.root))
  }

  private mutating func apply(patch event: EventParser.Event) throws(CommandFailure) {
    guard let document = try? JSONDocument(parsing: event.data),
      let patch = try? JSONPatch(document.root),
      let before = state, let next = try? patch.applied(to: before)
    else {
      state = nil
      throw CommandFailure(
        "\(name): a patch does not apply to the last State", exitCode: 76)  // EX_PROTOCOL
    }
    try print(text.heading("\(name) \(event.id ?? "")"))
    for line in text.lines(of: patch, on: before) { try print("  " + line) }
    try printScreens(of: next)
    state = next
    cursor = event.id ?? cursor
  }

  /// Prints the screens of a flow if they have changed.
  private mutating func printScreens(of state: JSONValue) throws(CommandFailure) {
    let line = ScreenList.line(of: state)
    defer { screens = line }
    if let line, line != screens { try print("  " + line) }
  }

  private func print(_ line: String) throws(CommandFailure) {
    try output.write(Array((line + "\n").utf8))
    try output.flush()
  }
}
