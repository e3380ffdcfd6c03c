internal import ReactorCoding
internal import ReactorHost

/// What a stream shows of each state.
struct StreamView: Hashable {
  /// The part that is shown; `nil` for the whole.
  var pointer: JSONPointer?

  /// What of a state is shown: its JSON, `null` where the part is not there.
  func json(of state: CommittedState) -> ArraySlice<UInt8> {
    guard let pointer else { return state.json[...] }
    return (try? pointer.bytes(in: state.json)) ?? ArraySlice("null".utf8)
  }
}
