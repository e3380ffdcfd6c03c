internal import ReactorHost

/// One event of a session or a global, made once for all streams of its view.
struct StreamEvent: Sendable {
  enum Kind: UInt8 {
    /// What the view shows, whole; an event without a name.
    case whole

    /// The same, on a stream of patches.
    case wholeBeforePatches

    /// What changed since the event before.
    case patch

    /// What the event is called; `nil` for none.
    var name: String? {
      switch self {
      case .whole: nil
      case .wholeBeforePatches: "state"
      case .patch: "patch"
      }
    }
  }

  let kind: Kind

  /// The point of the history that a client is at which has the event.
  let cursor: Cursor

  /// The version that the event was made after.
  ///
  /// Who has seen a later one has no use for what changed since this one.
  let follows: Int

  /// The event as a stream of one session sends it.
  let chunk: StreamChunk

  /// Where the JSON lies within the chunk's bytes.
  private let payload: Range<Int>

  /// What a patch leads to.
  private let result: ArraySlice<UInt8>?

  /// Makes an event.
  ///
  /// - Parameters:
  ///   - kind: What it carries.
  ///   - cursor: Where a client is that has it.
  ///   - json: The data. JSON as the service writes it has no line ends.
  ///   - version: The version that it was made after.
  ///   - shown: What a client sees that has it, where that is not the data.
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
    let start = text.count
    text += json
    text += "\n\n".utf8
    chunk = StreamChunk(text)
    let first = chunk.payload.lowerBound + start
    payload = first..<(first + json.count)
  }

  var version: Int { cursor.version }

  /// Whether it stands for several versions.
  var leaps: Bool { version > follows + 1 }

  /// The data.
  var json: ArraySlice<UInt8> { chunk.framed[payload] }

  /// What a client sees that has the event.
  var shown: ArraySlice<UInt8> { result ?? json }

  /// How many bytes it keeps.
  var size: Int { chunk.framed.count + (result?.count ?? 0) }
}
