internal import ReactorHost
internal import ReactorLog
internal import ReactorTransport

/// One event of a session or global, created once for all streams of its view.
struct StreamEvent: Sendable {
  enum Kind: UInt8 {
    /// The whole representation, as an event without a name.
    case whole

    /// The whole representation, on a stream of patches.
    case wholeBeforePatches

    /// The difference to the event before, as a JSON Patch.
    case patch

    /// The difference to the event before, as a JSON Merge Patch.
    case merge

    /// The new value, and the value of the event before.
    case change

    /// Signals of the Datastar client.
    case signals

    /// The name of the event, or `nil` for none.
    var name: String? {
      switch self {
      case .whole: nil
      case .wholeBeforePatches: "state"
      case .patch: "patch"
      case .merge: "merge"
      case .change: "change"
      case .signals: EventText.signalsName
      }
    }

    /// The text before the JSON in the data.
    var prefix: String { self == .signals ? EventText.signalsPrefix : "" }
  }

  let kind: Kind

  /// The cursor of a client that has the event.
  let cursor: Cursor

  /// The version before the event; a patch applies only to it.
  let follows: Int

  /// The event as streams of one session send it.
  let chunk: StreamChunk

  /// The range of the JSON in the chunk's bytes.
  private let payload: Range<Int>

  /// The JSON that a patch leads to.
  private let result: ArraySlice<UInt8>?

  /// Creates an event.
  ///
  /// - Parameters:
  ///   - kind: The kind of data.
  ///   - cursor: The cursor of a client that has the event.
  ///   - json: The data; the service's JSON contains no line breaks.
  ///   - version: The version before the event.
  ///   - shown: The representation after the event, if it is not the data.
  init(
    _ kind: Kind, _ cursor: Cursor, _ json: ArraySlice<UInt8>, follows version: Int,
    shown: ArraySlice<UInt8>? = nil
  ) {
    self.kind = kind
    self.cursor = cursor
    follows = version
    result = shown
    var text: [UInt8] = []
    text.reserveCapacity(json.count + 112)
    if let name = kind.name { text += "event: \(name)\n".utf8 }
    text += "id: \(cursor)\ndata: ".utf8
    if kind == .signals { text += EventText.signalsPrefix.utf8 }
    let start = text.count
    text += json
    text += "\n\n".utf8
    chunk = StreamChunk(text)
    let first = chunk.payload.lowerBound + start
    payload = first..<(first + json.count)
  }

  var version: Int { cursor.version }

  /// Whether the event is a whole representation.
  var isWhole: Bool { kind == .whole || kind == .wholeBeforePatches }

  /// Whether the event spans several versions.
  var spansVersions: Bool { version > follows + 1 }

  /// The data.
  var json: ArraySlice<UInt8> { chunk.framed[payload] }

  /// The representation that a client with the event has.
  var shown: ArraySlice<UInt8> { result ?? json }

  /// The retained bytes.
  var size: Int { chunk.framed.count + (result?.count ?? 0) }
}
