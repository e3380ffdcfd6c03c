internal import ReactorCoding

/// A kind of event that a stream sends.
struct StreamMessage: Sendable {
  /// The key of the message in `/asyncapi.json`.
  let key: String
  /// The name of the event; `message` for one without a name.
  let event: String
  let summary: String
  /// The schema of the data, or `nil` for data that is no JSON.
  let data: Operation.Schema?
  /// Whether the event has an `id`, from which a stream continues.
  var hasID = false

  private init(
    _ key: String, _ event: String? = nil, _ summary: String, _ data: Operation.Schema?,
    hasID: Bool = false
  ) {
    self.key = key
    self.event = event ?? key
    self.summary = summary
    self.data = data
    self.hasID = hasID
  }

  /// The events of a stream of a session.
  static let ofSession =
    values(of: .state)
    + [
      Self("activity", nil, "The running effects, with `activity`", .component("Activity")),
      Self("presence", nil, "The subscribers, with `presence`", .component("Presence")),
      Self("signal", nil, "A message of a subscriber, with `signals`", .component("Signal")),
      Self("end", nil, "The session has ended; the last event", nothing),
    ] + ofEveryStream

  /// The events of a stream of several sessions.
  static let ofSessions = ofSession.compactMap { message -> Self? in
    switch message.key {
    case "state", "part":
      Self(message.key, "{reactor}/{session}", message.summary, message.data, hasID: true)
    // The first State has the event of each State.
    case "firstState", "firstPart": nil
    case "datastar": message
    default:
      Self(
        message.key, message.event, message.summary, message.data.map { .ofSession($0) },
        hasID: message.hasID)
    }
  }

  /// The events of a stream of a global.
  static let ofGlobal = values(of: .global) + ofEveryStream

  /// The events of the stream of all changes.
  static let ofChanges =
    [
      Self(
        "change", "message", "A change of a session or global", .component("StreamedChange"),
        hasID: true),
      Self(
        "reset", nil, "Changes before the next one are no longer retained",
        .inline([
          "type": "object", "required": ["oldest"], "properties": ["oldest": ["type": "string"]],
        ])),
    ] + ofEveryStream.filter { $0.key != "reset" }

  /// The events with the values of a stream.
  private static func values(of value: Operation.Schema) -> [Self] {
    [
      Self("state", "message", "The current value, and then each new one", value, hasID: true),
      Self("part", "message", "With `select`: the part", .statePart, hasID: true),
      Self("firstState", "state", "With `delta`: the value before the patches", value, hasID: true),
      Self("firstPart", "state", "With `delta` and `select`: the part", .statePart, hasID: true),
      Self(
        "patch", nil, "With `delta=patch`: a JSON Patch (RFC 6902)", .component("Patch"),
        hasID: true),
      Self(
        "merge", nil, "With `delta=merge`: a JSON Merge Patch (RFC 7396)", .inline([:]), hasID: true
      ),
      Self(
        "change", nil, "With `old`: the new value, and that of the event before",
        .inline(["type": "object", "required": ["new"], "properties": ["old": [:], "new": [:]]]),
        hasID: true),
      Self(
        "datastar", "datastar-patch-signals",
        "With `format=datastar`: the signals of the Datastar client, after `signals `",
        nil, hasID: true),
    ]
  }

  private static let nothing = Operation.Schema.inline(["type": "object"])

  private static let ofEveryStream = [
    Self("reset", nil, "The stream does not continue after the client's cursor", nothing),
    Self("draining", nil, "The service ends; the last event. Another stream resumes", nothing),
    Self("expired", nil, "The credential is not valid any more; the last event", nothing),
  ]
}
