internal import ReactorHost
internal import ReactorLog
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

  func start() {
    node.call(.submit(submission), of: key) { [self] in received($0, waits: Self.waits) }
  }

  private func received(_ result: RemoteResult, waits: Int) {
    switch result {
    case .success(.outcome(let outcome), _): completion(outcome)
    case .success(.accepted(let state, let key), _):
      accepted?(state)
      wait(for: key, waits: waits)
    case .success(.failed(let error), _): completion(.notOpened(error))
    case .success:
      completion(.notCommitted(.unavailable("The owner's response is not understood.")))
    case .failure(let error): completion(.notCommitted(error))
    }
  }

  /// Requests the outcome of the accepted actions.
  private func wait(for run: IdempotencyKey, waits: Int) {
    var identified = submission
    identified.key = run
    node.call(.outcome(identified), of: key) { [self] result in
      if case .failure(.unknown) = result, waits > 0 { return wait(for: run, waits: waits - 1) }
      received(result, waits: 0)
    }
  }
}
