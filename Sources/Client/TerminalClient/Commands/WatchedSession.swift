internal import ClientCore
internal import ReactorCoding

/// The last known State of a watched session; prints each change.
struct WatchedSession {
  private let name: String
  private let isJSON: Bool
  private let text: TerminalText
  private let output = StandardOutput()
  private var state: JSONValue?
  /// The screens that were printed last, if the State has a stack.
  private var screens: String?
  private var cursor: SessionCursor?

  /// Whether a State was received.
  var hasBegun: Bool { cursor != nil }

  init(_ name: String, isJSON: Bool, isColoured: Bool) {
    self.name = name
    self.isJSON = isJSON
    text = TerminalText(isColoured: isColoured)
  }

  /// Prints a change.
  mutating func apply(_ update: SessionUpdate) throws(CommandFailure) {
    switch update {
    case .state(let state): try show(state)
    case .ended: if !isJSON { try print(text.heading(name, note: "has ended")) }
    // The stream machine requests the State again.
    case .failed(let problem): StandardError.write(Array("reactord: \(problem)\n".utf8))
    case .activity, .notice: break
    }
  }

  private mutating func show(_ next: SessionState) throws(CommandFailure) {
    let value = next.json.value
    defer {
      state = value
      cursor = next.cursor
    }
    if isJSON { return try print(String(decoding: value.bytes, as: UTF8.self)) }
    if let cursor, cursor.epoch != next.cursor.epoch {
      try print(text.heading(name, note: "begins a new history"))
      state = nil
    }
    try print(text.heading("\(name) \(next.cursor)"))
    let document = try? JSONDocument(parsing: value.bytes)
    if let state, let document, let known = try? JSONDocument(parsing: state.bytes),
      let difference = try? JSONDocument(
        parsing: JSONDifference.patch(from: known, to: document)),
      let patch = try? JSONPatch(difference.root)
    {
      for line in text.lines(of: patch, on: state) { try print("  " + line) }
    } else {
      try print("  " + TerminalText.printable(String(decoding: value.bytes, as: UTF8.self)))
    }
    try printScreens(of: value)
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
