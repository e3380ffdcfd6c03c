internal import ReactorCoding
internal import ReactorHost
internal import ReactorLog
internal import ReactorTransport

/// The representation of States on a stream.
struct StreamView: Hashable {
  /// The data of an event.
  enum Format: Hashable {
    case states

    /// The first State, then JSON Patches (RFC 6902).
    case patches

    /// The first State, then JSON Merge Patches (RFC 7396).
    case merges

    /// The new value, and the value of the event before.
    case changes

    /// Signals of the Datastar client: the first State and then Merge Patches, within an object.
    case signals
  }

  /// The selected part, or `nil` for the whole.
  var pointer: JSONPointer?

  /// Whether States are sent, and not only events of other kinds.
  var sendsStates = true

  var format = Format.states

  /// The signal that contains the State, or `nil` if the members of the State are the signals.
  var name: String?

  /// Whether the States are views of a projected reactor, in which a commit may change nothing.
  var isProjected = false

  /// Whether each event is independent of the one before it.
  var isPlain: Bool { !skipsUnchanged && format == .states }

  /// Whether no event is sent for a commit that does not change the representation.
  var skipsUnchanged: Bool { pointer != nil || isProjected || !sendsStates }

  /// Whether an event contains the difference to the one before it.
  var sendsDifferences: Bool { format != .states }

  /// Returns the JSON of the selected part: `null` if the State does not have it, nothing if no States are sent.
  func json(of state: CommittedState) -> ArraySlice<UInt8> {
    guard sendsStates else { return [] }
    guard let pointer else { return signals(of: state.json[...]) }
    guard let part = try? pointer.bytes(in: state.json) else { return ArraySlice("null".utf8) }
    // A copy, so that retaining the part does not retain the whole State.
    return signals(of: Array(part)[...])
  }

  /// Creates the event with a whole State.
  func whole(_ cursor: Cursor, _ json: ArraySlice<UInt8>, follows version: Int) -> StreamEvent {
    switch format {
    case .states: StreamEvent(.whole, cursor, json, follows: version)
    case .patches, .merges:
      StreamEvent(.wholeBeforePatches, cursor, json, follows: version, shown: json)
    case .changes:
      StreamEvent(
        .change, cursor, (Array(#"{"new":"#.utf8) + json + "}".utf8)[...], follows: version,
        shown: json)
    case .signals:
      StreamEvent(.signals, cursor, located(json)[...], follows: version, shown: json)
    }
  }

  /// Creates the event with the difference to the State before.
  ///
  /// - Parameters:
  ///   - cursor: The cursor of the State.
  ///   - before: The representation before.
  ///   - json: The representation of the State.
  ///   - version: The version before.
  ///   - documents: Both representations, if they are parsed already.
  /// - Returns: The event; the one with the whole State if the format has no differences.
  func change(
    _ cursor: Cursor, from before: ArraySlice<UInt8>, to json: ArraySlice<UInt8>,
    follows version: Int, parsed documents: (old: JSONDocument, new: JSONDocument)? = nil
  ) -> StreamEvent {
    let data: (StreamEvent.Kind, [UInt8])?
    switch format {
    case .states: data = nil
    case .patches:
      let patch =
        documents.map { JSONDifference.patch(from: $0.old, to: $0.new) }
        ?? JSONDifference.patch(from: Array(before), to: Array(json))
      data = (.patch, patch)
    case .merges: data = merge(from: before, to: json, documents).map { (.merge, $0) }
    case .changes:
      data = (
        .change,
        Array(#"{"old":"#.utf8) + before + Array(#","new":"#.utf8) + json + Array("}".utf8)
      )
    case .signals:
      data = merge(from: before, to: json, documents).map { (.signals, located($0[...])) }
    }
    guard let (kind, text) = data else { return whole(cursor, json, follows: version) }
    return StreamEvent(kind, cursor, text[...], follows: version, shown: json)
  }

  /// Creates the Merge Patch between two representations, or returns `nil` if they are nested too deeply.
  private func merge(
    from before: ArraySlice<UInt8>, to json: ArraySlice<UInt8>,
    _ documents: (old: JSONDocument, new: JSONDocument)?
  ) -> [UInt8]? {
    if let documents { return JSONMergeDifference.patch(from: documents.old, to: documents.new) }
    guard let old = try? JSONDocument(parsing: Array(before)),
      let new = try? JSONDocument(parsing: Array(json), after: old)
    else { return nil }
    return JSONMergeDifference.patch(from: old, to: new)
  }
}

/// The location of a State among the signals of a page.
extension StreamView {
  /// The names of the objects around the State, from the outside.
  private var location: [String] { (name.map { [$0] } ?? []) + (pointer?.tokens ?? []) }

  /// Whether the members of the State are the signals, so that the State must be an object.
  var needsObject: Bool { format == .signals && location.isEmpty }

  /// Whether a representation can be sent in this view.
  func canSend(_ json: [UInt8]) -> Bool {
    !sendsStates || !needsObject || json.first == UInt8(ascii: "{")
  }

  /// Returns the State as signals: an empty object if signals need an object and the State is none.
  private func signals(of json: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    needsObject && json.first != UInt8(ascii: "{") ? ArraySlice("{}".utf8) : json
  }

  /// Returns a value, or a patch of it, within the objects around it.
  private func located(_ json: ArraySlice<UInt8>) -> [UInt8] {
    let location = location
    guard !location.isEmpty else { return Array(json) }
    var text: [UInt8] = []
    for name in location {
      text.append(UInt8(ascii: "{"))
      text += JSONValue.string(name).bytes
      text.append(UInt8(ascii: ":"))
    }
    text += json
    text += repeatElement(UInt8(ascii: "}"), count: location.count)
    return text
  }

  /// The event that removes the signals of an earlier history; empty if it cannot be expressed.
  var removal: [UInt8] {
    guard sendsStates, format == .signals, !location.isEmpty else { return [] }
    return EventText.signals(located(ArraySlice("null".utf8)))
  }
}
