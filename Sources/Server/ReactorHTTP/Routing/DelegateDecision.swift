internal import Crypto
internal import Identity
internal import ReactorHost
internal import ReactorLog
internal import Synchronization

/// The sessions and the responses of the webhook that a decision on a request needs.
///
/// A delegate decides before a session is opened. If it needs the State of a session that is not in memory, the
/// service opens the session, and the request begins again: until then it has no effect. So it is with a webhook that
/// has not responded yet.
struct DelegateDecision: ~Copyable, Sendable {
  // Not private: the compiler emits no metadata of a private type for another file.
  struct State {
    var known: [SessionKey: FoundSession] = [:]
    var missing: SessionKey?
    var isPending = false
    var question: (pending: PendingAccess, digest: SHA256.Digest)?
    var answers: [SHA256.Digest: AccessDecision] = [:]
    var generatedID: String?
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

  /// Records a question to the webhook for which the request waits.
  func wait(for pending: PendingAccess, _ digest: SHA256.Digest) {
    state.withLock { $0.question = (pending, digest) }
  }

  /// Returns the question for which the request waits, once, or `nil` for none.
  func takeQuestion() -> (pending: PendingAccess, digest: SHA256.Digest)? {
    state.withLock { $0.question.take() }
  }

  /// Whether the request waits for the webhook.
  var isWaiting: Bool { state.withLock { $0.question != nil } }

  /// Records the response of the webhook.
  func know(_ answer: AccessDecision, _ digest: SHA256.Digest) {
    state.withLock { $0.answers[digest] = answer }
  }

  /// Returns the response for which the request has waited, or `nil` if there is none.
  ///
  /// The response decides on the whole request, also if its validity ends while the request waits for another one:
  /// a request asks each question once, and ends.
  func answer(_ digest: SHA256.Digest) -> AccessDecision? {
    state.withLock { $0.answers[digest] }
  }

  /// Returns the generated id of a session that the request creates, the same one when the request begins again.
  func generatedID() -> String {
    state.withLock { state in
      let id = state.generatedID ?? SessionKey.generatedID()
      state.generatedID = id
      return id
    }
  }

  /// Postpones the decision at the admission of the request until it is dispatched.
  func postpone() { state.withLock { $0.isPending = true } }

  /// Whether the decision at the admission was postponed.
  var isPending: Bool { state.withLock { $0.isPending } }
}
