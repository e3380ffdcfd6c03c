internal import ReactorLog
internal import Synchronization

/// The marks around the code of a session's reactor, see ``ActionMarking``.
///
/// Stored inline in the session. The session's key and the marking are parameters instead of
/// properties, which would make each session larger. Without a marking it costs a check per action
/// and per turn.
@usableFromInline
struct SessionMarks: ~Copyable, Sendable {
  /// The place of the mark of a turn without a request, in the serial context; -1 for none.
  private let turn = Atomic<Int>(-1)

  /// Marks an action, unless it is quarantined.
  @usableFromInline
  func beginAction(
    _ json: [UInt8], of session: SessionKey, in marking: (any ActionMarking)?
  ) -> ActionMark {
    guard let marking else { return .none }
    guard !marking.isQuarantined(session, json) else { return .rejected }
    return marking.begin(session, ActionDigest(of: json), json)
  }

  /// Clears the mark of an action.
  @usableFromInline
  func endAction(_ mark: ActionMark, in marking: (any ActionMarking)?) {
    if mark.place >= 0 { marking?.end(mark) }
  }

  /// Marks a turn that is not caused by a request, in the serial context.
  ///
  /// The turn handles an output of an effect, a value of a global, or the connection of the
  /// reactor's streams.
  ///
  /// - Parameters:
  ///   - action: The action of the effect, as JSON, or `nil` for none.
  ///   - session: The session.
  ///   - marking: The marking, or `nil` for none.
  @usableFromInline
  func beginTurn(
    for action: [UInt8]?, of session: SessionKey, in marking: (any ActionMarking)?
  ) {
    guard let marking else { return }
    let digest = action.map { ActionDigest(of: $0) } ?? .session
    turn.store(marking.begin(session, digest, action ?? []).place, ordering: .relaxed)
  }

  /// Removes the mark of the turn, if it has one.
  ///
  /// - Parameter marking: The marking. Evaluated only if the turn has a mark, because nearly every
  ///   turn belongs to a request.
  func endTurn(in marking: @autoclosure () -> (any ActionMarking)?) {
    let place = turn.load(ordering: .relaxed)
    guard place >= 0 else { return }
    turn.store(-1, ordering: .relaxed)
    marking()?.end(ActionMark(place: place))
  }
}
