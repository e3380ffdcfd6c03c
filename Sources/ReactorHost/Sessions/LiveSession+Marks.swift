internal import Synchronization

/// Marks around the code of the reactor, see ``ActionMarking``.
extension LiveSession {
  /// Marks an action, unless it is quarantined.
  @usableFromInline
  func beginAction(_ json: [UInt8]) -> ActionMark {
    guard let marking = environment.settings.marking else { return .none }
    guard !marking.isQuarantined(key, json) else { return .rejected }
    return marking.begin(key, ActionDigest(of: json), json)
  }

  @usableFromInline
  func endAction(_ mark: ActionMark) {
    if mark.place >= 0 { environment.settings.marking?.end(mark) }
  }

  /// Executes code that an action does not cause, or that decodes one, with a mark.
  func marked<Value, Failure: Error>(
    _ digest: ActionDigest = .session, _ action: [UInt8] = [],
    _ body: () throws(Failure) -> Value
  ) throws(Failure) -> Value {
    guard let marking = environment.settings.marking else { return try body() }
    let mark = marking.begin(key, digest, action)
    defer { marking.end(mark) }
    return try body()
  }

  /// A turn begins that no request executes, in the serial context.
  ///
  /// It is of an output of an effect, of a global, or of the connection of the reactor's streams.
  @usableFromInline
  func didBeginTurn(for effect: ActionEffect?) {
    guard let marking = environment.settings.marking else { return }
    let json = effect?.json ?? []
    let mark = marking.begin(key, effect == nil ? .session : ActionDigest(of: json), json)
    turnMark.store(mark.place, ordering: .relaxed)
  }

  /// Removes the mark of the turn, if it has one.
  func endTurnMark() {
    let place = turnMark.load(ordering: .relaxed)
    guard place >= 0 else { return }
    turnMark.store(-1, ordering: .relaxed)
    environment.settings.marking?.end(ActionMark(place: place))
  }
}
