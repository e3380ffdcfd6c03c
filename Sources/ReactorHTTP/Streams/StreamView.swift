internal import ReactorCoding
internal import ReactorHost
internal import ReactorLog

/// The representation of States on a stream.
struct StreamView: Hashable {
  /// The selected part; `nil` for the whole.
  var pointer: JSONPointer?

  /// Whether States after the first one are sent as patches.
  var sendsPatches = false

  /// Whether an event does not depend on the one before it.
  var isPlain: Bool { pointer == nil && !sendsPatches }

  /// The JSON of the selected part; `null` if the State does not have it.
  func json(of state: CommittedState) -> ArraySlice<UInt8> {
    guard let pointer else { return state.json[...] }
    guard let part = try? pointer.bytes(in: state.json) else { return ArraySlice("null".utf8) }
    // A copy, so that retaining the part does not retain the whole State.
    return Array(part)[...]
  }

  /// The event with the whole of a State.
  func whole(_ cursor: Cursor, _ json: ArraySlice<UInt8>, follows version: Int) -> StreamEvent {
    StreamEvent(
      sendsPatches ? .wholeBeforePatches : .whole, cursor, json, follows: version,
      shown: sendsPatches ? json : nil)
  }

  /// The event with the difference to the State before.
  func change(
    _ cursor: Cursor, _ json: ArraySlice<UInt8>, follows version: Int, difference: [UInt8]
  ) -> StreamEvent {
    StreamEvent(.patch, cursor, difference[...], follows: version, shown: json)
  }
}
