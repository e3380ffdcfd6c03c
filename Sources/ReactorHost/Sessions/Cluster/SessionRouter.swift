package import ReactorCore
package import ReactorLog

/// Routes requests to the process that owns a session.
///
/// A host without a router owns every session.
package protocol SessionRouter: AnyObject, Sendable {
  /// Wraps a reactor: the result is the one that clients and other sessions use.
  ///
  /// Called once per reactor, while the host is created.
  func route(_ reactor: any LocalReactor) -> any HostedReactor

  /// Whether this process is to execute the timers and the interrupted actions of a session.
  func owns(_ key: SessionKey) -> Bool

  /// Executes a request at the owner of the session, after this process has lost it.
  ///
  /// Nothing of the request is committed.
  func submit(
    _ submission: Submission, to key: SessionKey,
    accepted: (@Sendable (CommittedState) -> Void)?,
    completion: @escaping @Sendable (ActionOutcome) -> Void)

  /// A global was set and committed by this process.
  ///
  /// - Parameters:
  ///   - global: The name.
  ///   - completion: Called once the other processes have applied the value, or after a time limit. Any
  ///     thread, the calling one included.
  func didSet(_ global: String, completion: @escaping @Sendable () -> Void)
}

/// A request with actions for a session.
package struct Submission: Sendable {
  /// The actions, as JSON.
  package var body: [UInt8]

  /// The request is executed only at one of these cursors; `nil` for any.
  package var expected: [Cursor]?

  /// The idempotency key; `nil` for none.
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
  /// `enqueued` is called when later requests are executed after this one; not if this call throws.
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

  /// Evicts a session from memory.
  ///
  /// - Parameters:
  ///   - id: The session.
  ///   - owner: The process that owns it next.
  ///   - forced: Whether a session in use is closed as well, after the batch that the log has. Its
  ///     requests get ``ActionOutcome/displaced(by:)``, its streams end as interrupted.
  ///   - completion: Called with whether the session is not in memory. Any thread.
  func release(
    _ id: String, to owner: NodeID?, forced: Bool, completion: @escaping @Sendable (Bool) -> Void)

  /// The process that has appended to a session last; `nil` if the log does not store it.
  func lastWriter(of id: String, completion: @escaping ReadCompletion<NodeID?>)

  /// The first sessions in memory after an id, in ascending order of their ids' bytes.
  func liveSummaries(after id: String?, limit: Int) -> [SessionSummary]

  /// The ids of the sessions in memory, at most `limit`, in ascending order after an id.
  func liveIDs(after id: String?, limit: Int) -> [String]
}

/// A global that another process may set.
package protocol RefreshableGlobal: SharedGlobal {
  /// Reports each value that is set from now on to a router.
  func share(through router: any SessionRouter)

  /// Reads the value from the log again, and publishes it if it is another one.
  ///
  /// - Parameter completion: Called with whether the value could be read. Any thread, the calling one
  ///   included.
  func refresh(completion: @escaping @Sendable (Bool) -> Void)
}
