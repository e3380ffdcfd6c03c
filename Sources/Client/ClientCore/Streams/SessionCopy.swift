package import ReactorCoding

/// A committed State as JSON, or the selected part of it, and its position.
package struct SessionState: Sendable {
  package let json: StateJSON

  package let selection: Selection

  package let cursor: SessionCursor

  /// Whether the server has reset the history: the State replaces a later one.
  package var isReset: Bool

  package init(
    _ json: StateJSON, _ cursor: SessionCursor, isReset: Bool = false,
    of selection: Selection = .whole
  ) {
    self.json = json
    self.selection = selection
    self.cursor = cursor
    self.isReset = isReset
  }
}

/// The JSON of a State: as received, or the result of patches.
package enum StateJSON: Sendable {
  case document(JSONDocument)
  case value(JSONValue)

  /// The State as a value that patches apply to.
  package var value: JSONValue {
    switch self {
    case .document(let document): JSONValue(document.root)
    case .value(let value): value
    }
  }

  /// Decodes the State.
  ///
  /// - Throws: A problem of kind ``Problem/Kind/undecodable``, with the pointer of the value that
  ///   does not have the type.
  package func decode<State: Decodable>(_ type: State.Type) throws(Problem) -> State {
    do {
      switch self {
      case .document(let document): return try JSONCoder.decode(type, from: document.root)
      case .value(let value): return try JSONCoder.decode(type, from: value.bytes)
      }
    } catch let failure as JSONDecodingFailure {
      throw Problem(
        .undecodable, "The State is not of the type that the client expects",
        "\(failure.detail) Use the State type of the server's version.", pointer: failure.pointer)
    } catch {
      throw Problem(.undecodable, "The State cannot be decoded", "\(error)")
    }
  }
}

/// A change of one session, as its stream reports it.
package enum SessionUpdate: Sendable {
  /// A later State.
  case state(SessionState)

  /// The effects that run now.
  case activity(Activity)

  /// An event of another kind, such as a signal.
  case notice(String, JSONElement)

  /// An event was unusable; the State is requested again.
  case failed(Problem)

  /// The session ended, or is not served to this client.
  case ended(Problem)
}

/// The client's copy of one session's State, to which the patches of a stream are applied.
struct SessionCopy: Sendable {
  /// The last State, or `nil` before the first one, and after the end of its history.
  private(set) var held: SessionState?

  /// Whether the next State begins another history.
  private var isReset = false

  /// The tag of the session in composite ids.
  let tag: String

  /// The optional events that the client observes.
  var topics: StreamTopics

  /// The part of the State that the client observes.
  var wanted: Selection

  /// The part of the State that the open stream sends: the wanted one when it was opened.
  private(set) var selection: Selection

  init(key: String, topics: StreamTopics, selection: Selection) {
    tag = CompositeID.tag(of: key)
    self.topics = topics
    wanted = selection
    self.selection = selection
  }

  /// Selects what is wanted, for a new stream; the copy of another selection is discarded.
  mutating func select() {
    guard selection != wanted else { return }
    selection = wanted
    held = nil
  }

  /// Replaces the State and returns it, or returns `nil` if the copy is already at the cursor or later.
  mutating func replace(_ document: JSONDocument, at cursor: SessionCursor) -> SessionState? {
    if let held, held.cursor.hasReached(cursor) { return nil }
    let state = SessionState(.document(document), cursor, isReset: isReset, of: selection)
    isReset = false
    held = state
    return state
  }

  /// Applies a patch and returns the new State, or returns `nil` if the copy is already at the cursor or
  /// later.
  ///
  /// - Throws: The reason the patch does not apply; the copy is then empty.
  mutating func apply(
    _ patch: JSONElement, at cursor: SessionCursor
  ) throws(JSONPatchError) -> SessionState? {
    if let held, held.cursor.hasReached(cursor) { return nil }
    guard let before = held, before.cursor.epoch == cursor.epoch else {
      held = nil
      throw JSONPatchError(operation: nil, reason: "There is no State to which it applies.")
    }
    // Release the copy's reference first, so that the patch changes a uniquely referenced value in
    // place.
    let value = before.json.value
    held = nil
    let state = SessionState(
      .value(try JSONPatch(patch).applied(to: value)), cursor, of: selection)
    held = state
    return state
  }

  /// Discards the State, because its history has ended.
  mutating func reset() {
    held = nil
    isReset = true
  }
}
