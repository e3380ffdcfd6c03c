internal import ReactorCore
internal import ReactorHost
internal import ReactorLog
internal import Shares
internal import Synchronization

/// A request with actions that the owner of a session executes for a client of this node.
final class RemoteExecution: Sendable {
  /// The maximum number of calls that wait for the outcome of an accepted request, each for at most
  /// 30 s.
  private static let waits = 120

  private let submission: Submission
  private let key: SessionKey
  private let node: ClusterNode
  private let accepted: (@Sendable (CommittedState) -> Void)?
  private let completion: @Sendable (ActionOutcome) -> Void

  init(
    _ submission: Submission, of key: SessionKey, at node: ClusterNode,
    accepted: (@Sendable (CommittedState) -> Void)?,
    completion: @escaping @Sendable (ActionOutcome) -> Void
  ) {
    self.submission = submission
    self.key = key
    self.node = node
    self.accepted = accepted
    self.completion = completion
  }

  private var client: Client? { submission.context?.account?.client }

  func start() {
    node.call(.submit(submission), of: key, by: client) { [self] result in
      guard case .success(.accepted(let state, let run), _) = result else {
        return completion(result.outcome)
      }
      accepted?(state)
      wait(for: run, waits: Self.waits)
    }
  }

  /// Requests the outcome of the accepted actions.
  ///
  /// It is unknown if it cannot be requested, because the log has the actions.
  private func wait(for run: IdempotencyKey, waits: Int) {
    var identified = submission
    identified.key = run
    node.call(.outcome(identified), of: key, by: client) { [self] result in
      switch result {
      // The next owner has accepted them again, or the owner has not replied in time.
      case .success(.accepted, _) where waits > 0, .failure(.unknown) where waits > 0:
        wait(for: run, waits: waits - 1)
      default:
        let outcome = result.outcome
        completion(outcome.isOfAcceptedActions ? outcome : .notCommitted(.unknown))
      }
    }
  }
}

extension RemoteResult {
  /// The outcome in the reply to a request with actions, or the error of the request.
  fileprivate var outcome: ActionOutcome {
    switch self {
    case .success(.outcome(let outcome), _): outcome
    case .success(.failed(let error), _): .notOpened(error)
    case .success: .notCommitted(.unavailable("The owner's response is not understood."))
    case .failure(let error): .notCommitted(error)
    }
  }
}

extension ActionOutcome {
  /// Whether accepted actions can have this outcome: otherwise it is the error of a request for
  /// their outcome.
  fileprivate var isOfAcceptedActions: Bool {
    switch self {
    case .committed, .failed, .replayed, .ended, .notOpened(.ended): true
    case .notCommitted(.unavailable): false
    case .notCommitted: true
    case .running, .keyReused, .mismatch, .overloaded, .displaced, .invalid, .notOpened: false
    }
  }
}
