internal import ReactorCoding
internal import ReactorHost

/// What a stream shows of each state.
struct StreamView: Hashable {
  /// The part that is shown; `nil` for the whole.
  var pointer: JSONPointer?

  /// Whether only the first state is sent whole, and what comes after it as a patch.
  var sendsPatches = false

  /// Whether each state is shown as it is, whatever came before it.
  var isPlain: Bool { pointer == nil && !sendsPatches }

  /// What of a state is shown: its JSON, `null` where the part is not there.
  func json(of state: CommittedState) -> ArraySlice<UInt8> {
    guard let pointer else { return state.json[...] }
    guard let part = try? pointer.bytes(in: state.json) else { return ArraySlice("null".utf8) }
    // On its own, so that a part that is remembered does not keep the whole.
    return Array(part)[...]
  }

  /// The event that shows a state whole.
  func whole(_ cursor: Cursor, _ json: ArraySlice<UInt8>, follows version: Int) -> StreamEvent {
    StreamEvent(
      sendsPatches ? .wholeBeforePatches : .whole, cursor, json, follows: version,
      shown: sendsPatches ? json : nil)
  }

  /// The event that shows what changed in a state.
  func change(
    _ cursor: Cursor, _ json: ArraySlice<UInt8>, follows version: Int, difference: [UInt8]
  ) -> StreamEvent {
    StreamEvent(.patch, cursor, difference[...], follows: version, shown: json)
  }
}
