internal import ReactorHost
internal import ReactorLog
internal import Synchronization

/// The sessions whose States the delegates need to decide on a request.
///
/// A delegate decides before a session is opened. If it needs the State of a session that is not in memory, the
/// service opens the session, and the request begins again: until then it has no effect.
struct DelegateDecision: ~Copyable, Sendable {
  // Not private: the compiler emits no metadata of a private type for another file.
  struct State {
    var known: [SessionKey: FoundSession] = [:]
    var missing: SessionKey?
    var isPending = false
  }

  private let state = Mutex(State())

  /// Returns the session that was opened for the decision, or `nil` for another one.
  func known(_ key: SessionKey) -> FoundSession? { state.withLock { $0.known[key] } }

  /// Records a session whose State is needed.
  func need(_ key: SessionKey) { state.withLock { $0.missing = key } }

  /// Returns the session whose State is needed, once, or `nil` for none.
  func takeMissing() -> SessionKey? { state.withLock { $0.missing.take() } }

  /// Whether the State of a session is needed.
  var isMissing: Bool { state.withLock { $0.missing != nil } }

  /// Records a session that was opened.
  func know(_ session: FoundSession, _ key: SessionKey) {
    state.withLock { $0.known[key] = session }
  }

  /// Postpones the decision at the admission of the request until it is dispatched.
  func postpone() { state.withLock { $0.isPending = true } }

  /// Whether the decision at the admission was postponed.
  var isPending: Bool { state.withLock { $0.isPending } }
}
