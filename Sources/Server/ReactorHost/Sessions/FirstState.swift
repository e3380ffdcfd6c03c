internal import ReactorCore
internal import ReactorLog
internal import Synchronization

/// The State with which a session would begin if it was created now.
///
/// The reactor's streams can change the initial State at once: `transform(mutation:)` adds the values of the
/// globals that are set. The State is read from a session that is not hosted, whose log is in memory, and that
/// ends at once.
struct FirstState {
  let environment: ReactorEnvironment

  /// Returns the State of a session that does not exist.
  ///
  /// Its cursor is that of version 0 of the session, unless mutations have changed the initial State. Then
  /// the cursor belongs to a history of its own, whose name is derived from the State: the session has the
  /// initial State at its version 0, and another value of a global is another State.
  func read(_ key: SessionKey, _ parameters: [UInt8]?) throws -> CommittedState {
    let scope = environment.scope(of: key, parameters)
    let epoch = Epoch.first(of: key)
    let session = LiveSession(
      key,
      stored: StoredSession(
        epoch: epoch, version: 0, lastActiveAt: .now, parameters: parameters),
      isStored: false, snapshot: 0, timers: [],
      instance: try environment.witness.hotPath.instantiate(nil, scope),
      log: MemoryLog().session(key), environment: ReactorEnvironment(besides: environment))
    defer { session.close(.deleted) }
    if let fault = session.fault { throw fault }
    let begun = session.current
    guard begun.version > 0 else { return begun }
    // Only now is a second instance needed, whose initial State no mutation has changed.
    let initial = try environment.witness.initial(scope)
    guard begun.json != initial else {
      return CommittedState(cursor: Cursor(epoch: epoch, version: 0), json: initial)
    }
    return CommittedState(cursor: Self.cursor(of: key, showing: begun.json), json: begun.json)
  }

  /// Returns the cursor of a session that does not exist, and would begin with a State other than the
  /// initial one.
  static func cursor(of key: SessionKey, showing state: [UInt8]) -> Cursor {
    Cursor(epoch: Epoch.first(of: key, showing: state), version: 0)
  }
}
