internal import Shares
internal import Synchronization

/// The requests to providers and to the webhook that requests of clients cause: few at a time, in turn by client.
///
/// ```
///   reserve ──▶ run: waiting ──▶ begun ──▶ ended
///      │                │
///      │                └──▶ waited for too long: no response
///      └──▶ the client has its share
/// ```
///
/// All methods may be called on any thread.
final class ProviderQueue: Sendable {
  /// The maximum number of requests without a response, which clients share.
  static let capacity = 16_384

  /// The maximum number of requests at a time, and of those of one client: each has a thread.
  static let (width, share) = (64, 32)

  /// The longest time that a request waits for its turn.
  static let patience = Duration.seconds(10)

  private let ledger: Ledger
  private let queue = Mutex(
    FairQueue<Account?, CheckedContinuation<Void, Never>>(width: width, share: share))

  /// Creates a queue without requests, which are counted in a ledger.
  init(_ ledger: Ledger) { self.ledger = ledger }

  /// Reserves a place for a request, which ``run(for:_:)`` releases; returns `false` if the client has its share.
  func reserve(for account: Account?) -> Bool {
    ledger.acquire(.questions, of: Self.capacity, for: account)
  }

  /// Sends a request when it is its turn, or returns `nil` if it has waited for too long.
  func run<Response: Sendable>(
    for account: Account?, _ send: () async -> Response
  ) async -> Response? {
    let begun = ContinuousClock.now
    await withCheckedContinuation { turn in
      queue.withLock { $0.append(turn, of: account) }
      begin()
    }
    let response = ContinuousClock.now - begun < Self.patience ? await send() : nil
    queue.withLock { $0.end(account) }
    ledger.release(.questions, of: account)
    begin()
    return response
  }

  private func begin() {
    while let next = queue.withLock({ $0.begin() }) { next.job.resume() }
  }
}
