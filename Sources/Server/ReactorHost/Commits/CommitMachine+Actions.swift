internal import ReactorLog
internal import Telemetry

/// The values of the machine, and the actions that its methods return.
extension CommitMachine {
  /// The progress of the session from one batch to the next, see ``CommitMachine``.
  enum Phase: Sendable {
    /// No batch is announced to the log.
    case idle

    /// A batch is announced to the log, which requests it when it can write.
    case announced

    /// The log writes a batch.
    case appending(Batch)

    /// A batch is committed, and the observers are being notified of it.
    case publishing

    /// The session has ended, and commits no further batches. `isPublishing` defers the
    /// notification of the end until the observers have been notified of the last batch.
    case ended(SessionEnd, fault: LogError?, isPublishing: Bool)

    /// The session has ended while the log writes a batch, which is published before the
    /// notification of the end if the log commits it.
    indirect case closing(Batch, SessionEnd, fault: LogError?)

    /// Whether the session has ended.
    var hasEnded: Bool {
      switch self {
      case .ended, .closing: true
      case .idle, .announced, .appending, .publishing: false
      }
    }

    /// The error that ended the session, or `nil` if it was deleted or evicted.
    var fault: LogError? {
      switch self {
      case .ended(_, let fault, _), .closing(_, _, let fault): fault
      case .idle, .announced, .appending, .publishing: nil
      }
    }
  }

  /// The states of a batch at the log.
  ///
  /// A state is `nil` if it was not encoded, because the session had no observers and a later state
  /// of the same turn replaces it.
  struct Batch: Sendable {
    /// Started when the log requested the batch.
    let stopwatch: Stopwatch
    var states = SmallArray<[UInt8]?>()
    var lastChange: Timestamp?
  }

  /// A reply that waits for a commit.
  struct WaitingReply: Sendable {
    let reply: Reply
    /// The idempotency key of the request, which few requests have.
    @Boxed var key: IdempotencyKey?
    /// The version that must be committed before the reply: that of the request's last mutation;
    /// for a rejected request, the version at which it was rejected.
    let version: Int
    /// The batch that stores the request's outcome; 0 for none.
    let batch: Int
  }

  /// The action at the end of a turn.
  enum TurnEnd {
    /// No action.
    case rest

    /// Encode the last state of the turn, pass it to ``encodedLastState(_:)``, and end the turn
    /// again.
    case encodeState

    /// Announce a batch to the log.
    case announce
  }

  /// The consequences of a committed batch, in the order of their execution.
  struct Publication: Sendable {
    /// The version before the batch.
    let version: Int
    let states: SmallArray<[UInt8]?>
    /// Started when the log requested the batch.
    let stopwatch: Stopwatch
    let observers: [any SessionObserver]
    let continuations: [Continuation]
    let replies: SmallArray<WaitingReply>
    /// The state after the batch.
    let latest: CommittedState
    /// A snapshot to save.
    let snapshot: Snapshot?
    /// Whether a new snapshot is due.
    let snapshotIsDue: Bool

    /// Notifies the observers of the encoded states, in order.
    func notifyObservers() {
      guard !observers.isEmpty else { return }
      var version = version
      states.forEach { json in
        version += 1
        guard let json else { return }
        let cursor = Cursor(epoch: latest.cursor.epoch, version: version)
        let state = CommittedState(cursor: cursor, json: json)
        for observer in observers { observer.sessionDidCommit(state) }
      }
    }
  }

  /// The action after a publication.
  enum PublicationEnd {
    case rest
    case announce
    case close(Closing)
  }

  /// The decision about the reply to a request whose actions have ended.
  enum ReplyDecision {
    /// Respond immediately with the committed state.
    case respond(CommittedState)

    /// The publication of a later batch returns the reply.
    case wait

    /// Respond that the session has ended, with the error that ended it.
    case ended(LogError?)
  }

  /// Whether an idempotency key is in use.
  enum KeyUse {
    /// No request with the key is being executed. The number is for ``claim(_:at:)``.
    case free(releases: Int)

    /// A request with the key is being executed.
    case executing(IdempotencyKey)
  }

  /// The observers, replies and continuations that are notified of the end.
  struct Closing {
    let end: SessionEnd
    let observers: [any SessionObserver]
    let replies: SmallArray<WaitingReply>
    let continuations: [Continuation]
  }

  /// The action at the end of the session.
  enum EndAction {
    /// No action: the session ended earlier.
    case none

    /// Notify the observers, replies and continuations when ``published()`` returns the closing.
    case closeLater

    /// Notify the observers, replies and continuations.
    case close(Closing)
  }
}
