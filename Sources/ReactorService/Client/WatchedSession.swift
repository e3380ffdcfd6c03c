internal import Glibc
internal import ReactorCoding

/// What is known of a session that is watched, and what is printed of it.
struct WatchedSession {
  private let name: String
  private let isJSON: Bool
  private let text: ChangeText
  private let output = StandardOutput()
  private var state: JSONValue?

  /// Where the session is; `nil` until something of it was seen.
  private(set) var cursor: String?

  /// How many events have come.
  private(set) var eventCount = 0

  /// Whether there is nothing more to come.
  private(set) var hasEnded = false

  /// Whether a State was seen.
  var hasBegun: Bool { cursor != nil }

  /// Begins with nothing.
  init(_ name: String, isJSON: Bool, isColoured: Bool) {
    self.name = name
    self.isJSON = isJSON
    text = ChangeText(isColoured: isColoured)
  }

  /// Takes an event, and prints what it says.
  mutating func take(_ event: EventParser.Event) throws(ConfigurationError) {
    eventCount += 1
    switch event.name {
    case "message", "state": try take(state: event)
    case "patch": try take(patch: event)
    case "reset":
      state = nil
      if !isJSON { try print(text.heading(name, note: "begins a new history")) }
    case "end":
      hasEnded = true
      if !isJSON { try print(text.heading(name, note: "has ended")) }
    default: break
    }
  }

  private mutating func take(state event: EventParser.Event) throws(ConfigurationError) {
    guard let next = Self.parse(event.data) else { return }
    defer {
      state = JSONValue(next.root)
      cursor = event.id ?? cursor
    }
    if isJSON { return try print(event.data) }
    try print(text.heading("\(name) \(event.id ?? "")"))
    // After a gap the daemon may send a State where a patch would do; a change is what is wanted.
    if let state, let known = try? JSONDocument(parsing: state.bytes),
      let document = Self.parse(
        String(decoding: JSONDifference.patch(from: known, to: next), as: UTF8.self)),
      let patch = try? JSONPatch(document.root)
    {
      for line in text.lines(of: patch, on: state) { try print("  " + line) }
    } else {
      try print("  " + ChangeText.printable(event.data))
    }
  }

  private mutating func take(patch event: EventParser.Event) throws(ConfigurationError) {
    guard let document = Self.parse(event.data), let patch = try? JSONPatch(document.root),
      let before = state, let next = try? patch.applied(to: before)
    else {
      // What does not fit is not guessed at: the next connection begins with the whole State.
      state = nil
      throw ConfigurationError(
        message: "\(name): a patch does not fit what came before it", exitCode: 76)  // EX_PROTOCOL
    }
    try print(text.heading("\(name) \(event.id ?? "")"))
    for line in text.lines(of: patch, on: before) { try print("  " + line) }
    state = next
    cursor = event.id ?? cursor
  }

  private static func parse(_ text: String) -> JSONDocument? {
    try? JSONDocument(parsing: Array(text.utf8))
  }

  private func print(_ line: String) throws(ConfigurationError) {
    try output.write(Array((line + "\n").utf8))
    try output.flush()
  }
}
