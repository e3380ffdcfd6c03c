internal import ReactorCoding
internal import ReactorHost
internal import ReactorLog
internal import ReactorTransport

/// The `id` of the last event that a client has, as it sends it to resume a stream.
///
/// A stream of one session accepts that of a stream of several, and the reverse, since the epochs differ; each
/// cursor can be in any form of ``PositionText``.
enum LastEventID {
  /// The client is new.
  case none
  case malformed
  case cursors(CompositeCursor)

  /// Reads the id in a request: from `Last-Event-ID`, otherwise from the query.
  ///
  /// A polyfill of `EventSource` appends the id of its latest event to the address, which can have an earlier one in
  /// `last_event_id`. An empty id is none, as in the standard of server-sent events.
  static func text(of request: HTTPRequest, _ query: Query) -> String? {
    let texts = [
      request[header: .lastEventID], query[ParameterNames.polyfillEventID], query["last_event_id"],
    ]
    return texts.lazy.compactMap { $0 }.first { !$0.isEmpty }
  }

  /// Parses the id in a request.
  init(_ text: String?) {
    guard let text else {
      self = .none
      return
    }
    self = CompositeCursor(text).map { .cursors($0) } ?? .malformed
  }

  /// Finds the client's position in the history of a session or global.
  ///
  /// - Parameters:
  ///   - epoch: The name of the history.
  ///   - name: The session of a stream of several, `{reactor}/{session}`: without a cursor for it, the
  ///     client is new. On a stream of one source, its client is not.
  /// - Returns: The position.
  func position(in epoch: String, of name: String? = nil) -> StreamPosition {
    switch self {
    case .none: .beginning
    case .malformed: .unknown
    case .cursors(let cursors): cursors.position(in: epoch, of: name)
    }
  }
}

/// The cursors of several sessions: the `id` of events on a stream of several sessions.
///
/// ```
/// 4w9xd.k3x9q2-17~p0c7m.8dn2vg-3
/// ```
///
/// Each cursor is preceded by a tag of its session's name, so that a client can reconnect with
/// other sessions or in another order. Tags are short and can collide: a session uses the cursor of
/// its own epoch, and starts again with a reset if it finds only that of another session. All
/// characters are valid in a query without encoding.
struct CompositeCursor {
  private static let separator: Character = "~"
  private static let tagLength = 5
  private static let alphabet = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)

  private var tagged: [Substring: [Cursor]] = [:]
  /// The cursors without a tag, by epoch.
  private var untagged: [String: Cursor] = [:]
  /// A cursor without a tag.
  private var other: Cursor?

  /// Parses the id of an event, or a cursor.
  init?(_ text: String) {
    let parts = PositionText.plain(text).split(
      separator: Self.separator, omittingEmptySubsequences: false)
    for part in parts {
      let rest = part.dropFirst(Self.tagLength)
      let isTagged = rest.first == "."
      let cursor = isTagged ? Cursor(PositionText.plain(rest.dropFirst())) : nil
      if let cursor { tagged[part.prefix(Self.tagLength), default: []].append(cursor) }
      // An epoch can begin like a tag.
      let whole = Cursor(PositionText.plain(part))
      if let whole { untagged[whole.epoch] = whole }
      if cursor == nil { other = whole }
      guard cursor != nil || whole != nil else { return nil }
    }
  }

  /// Returns the client's position, see ``LastEventID/position(in:of:)``.
  func position(in epoch: String, of name: String?) -> StreamPosition {
    let own: [Cursor] =
      name.map { tagged[Self.tag(of: $0)[...]] ?? [] } ?? Array(tagged.values.joined())
    let known = own.first { $0.epoch == epoch } ?? untagged[epoch] ?? own.first ?? other
    return known.map { .cursor($0) } ?? .beginning
  }

  /// Encodes the id of an event.
  static func text(_ cursors: some Sequence<(tag: String, cursor: Cursor)>) -> String {
    var text = ""
    for (tag, cursor) in cursors {
      if !text.isEmpty { text.append(separator) }
      text += tag
      text += "."
      text += cursor.description
    }
    return text
  }

  /// Returns the tag of a session's name: 25 bits of FNV-1a, the same on every machine.
  static func tag(of name: String) -> String {
    var hash: UInt32 = 2_166_136_261
    for byte in name.utf8 { hash = (hash ^ UInt32(byte)) &* 16_777_619 }
    hash ^= hash >> 25
    let characters = (0..<tagLength).map { alphabet[Int(hash >> UInt32(5 * $0)) & 31] }
    return String(decoding: characters, as: UTF8.self)
  }
}
