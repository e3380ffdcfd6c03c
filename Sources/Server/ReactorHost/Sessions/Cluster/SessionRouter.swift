package import ReactorCore
package import ReactorLog
package import Shares

/// Routes requests to the process that owns a session.
///
/// A host without a router owns every session.
package protocol SessionRouter: AnyObject, Sendable {
  /// Wraps a reactor. Clients and other sessions use the returned reactor.
  ///
  /// Called once per reactor, while the host is created.
  func route(_ reactor: any LocalReactor) -> any HostedReactor

  /// Returns whether this process must execute the timers and the interrupted actions of a session.
  func owns(_ key: SessionKey) -> Bool

  /// Executes a request at the owner of the session, after this process has lost it.
  ///
  /// Called only for a request without committed changes.
  func submit(
    _ submission: Submission, to key: SessionKey,
    accepted: (@Sendable (CommittedState) -> Void)?,
    completion: @escaping @Sendable (ActionOutcome) -> Void)

  /// A global was set and committed by this process; returns once the other processes have applied the
  /// value, or after a time limit.
  func didSet(_ global: String) async

  /// Reads the globals again of which a session has a revision that this process does not have; returns also if
  /// a read fails.
  ///
  /// - Parameter revisions: The revisions of the session, by the names of the globals.
  func refreshGlobals(unlike revisions: [String: UInt64]) async
}

/// A request with actions for a session.
package struct Submission: Sendable {
  /// The actions, as JSON.
  package var body: [UInt8]

  /// The request is executed only at one of these cursors, or `nil` for any.
  package var expected: [Cursor]?

  /// The idempotency key, or `nil` for none.
  package var key: IdempotencyKey?

  /// The current request of the actions and their effects.
  package var context: RequestContext?

  /// Whether another process may have started the actions: with ``InterruptionPolicy/giveUp`` they are not
  /// started again.
  package var isRepeated = false

  /// Creates a request.
  package init(
    body: [UInt8], expected: [Cursor]? = nil, key: IdempotencyKey? = nil,
    context: RequestContext? = nil
  ) {
    self.body = body
    self.expected = expected
    self.key = key
    self.context = context
  }
}

/// A session that executes requests whose idempotency key is not derived from their body.
package protocol SubmissionTarget: Session {
  /// Executes actions, see ``Session/submit(_:ifAt:key:for:accepted:completion:)``.
  ///
  /// `enqueued` is called when the request is in the mailbox, or is not executed. Requests that are
  /// submitted after that call are executed after this one. It is not called if this method throws.
  func submit(
    _ submission: Submission, accepted: (@Sendable (CommittedState) -> Void)?,
    enqueued: (@Sendable () -> Void)?,
    completion: @escaping @Sendable (ActionOutcome) -> Void
  ) throws(ActionDecodingError)
}

/// A reactor in this process, for a router.
package protocol LocalReactor: HostedReactor {
  /// The fingerprint of the reactor's State and Mutation.
  var fingerprint: String { get }

  /// The holdings of the clients of this process.
  var ledger: Ledger { get }

  /// Returns whether a session is in memory, even if earlier requests still wait for it.
  ///
  /// ``HostedReactor/liveSession(_:)`` returns the session only after them, so that requests keep
  /// their order.
  func isInMemory(_ id: String) -> Bool

  /// Calls a function with a session, after those of earlier calls; loads the session first if it is not in
  /// memory.
  ///
  /// The session is available to other requests when the function has returned. So actions that it submits are
  /// executed in the order of these calls.
  ///
  /// - Parameters:
  ///   - id: The session.
  ///   - body: Called once: immediately if the session is in memory, otherwise on a background thread.
  func use(
    _ id: String, _ body: @escaping @Sendable (Result<any Session, SessionError>) -> Void)

  /// Executes a function that may load sessions on background threads, in turn with the work of other clients.
  func start(_ body: @escaping @Sendable () async -> Void)

  /// Evicts a session from memory, and returns whether it is not in memory: a session in use stays.
  func evict(_ id: String) -> Bool

  /// Closes a session, in use or not, after its earlier changes are committed.
  ///
  /// Its requests get ``ActionOutcome/displaced(by:)``, and its streams end as interrupted.
  ///
  /// - Parameters:
  ///   - id: The session.
  ///   - owner: The process that owns it next.
  func handOver(_ id: String, to owner: NodeID?) async

  /// Closes a session in memory if the log has an end that the session lacks and another process has
  /// continued it.
  func closeIfContinued(_ id: String)

  /// Reads the process that appended to a session last, or returns `nil` if the log does not store it.
  func lastWriter(of id: String) throws(LogError) -> NodeID?

  /// Returns the first sessions in memory after an id, in ascending order of their ids' bytes.
  func liveSummaries(after id: String?, limit: Int) -> [SessionSummary]

  /// Returns the ids of the sessions in memory after an id, at most `limit`, in ascending order.
  func liveIDs(after id: String?, limit: Int) -> [String]
}

/// A global that another process may set.
package protocol RefreshableGlobal: SharedGlobal {
  /// Identifies the current value across restarts.
  var revision: UInt64 { get }

  /// Reports each value that is set from now on to a router.
  func share(through router: any SessionRouter)

  /// Reads the value from the log again, and publishes it if its revision is new.
  ///
  /// - Returns: Whether the value could be read.
  func refresh() async -> Bool
}
