internal import ClientCore
internal import Crypto
internal import Identity
internal import ReactorCore
internal import Shares
internal import Synchronization
internal import Telemetry

/// The server that decides on requests after the rules (`auth.webhook`), and its decisions.
///
/// All methods may be called on any thread.
final class Webhook: AccessWebhook {
  /// The settings `auth.webhook.*`.
  struct Settings: Sendable, Equatable {
    let url: ProviderURL
    /// The key of the authentication code of a question.
    let secret: [UInt8]
  }

  private struct State {
    var table: DecisionTable
    /// The questions without a response; the queue bounds their number.
    var running: [SHA256.Digest: PendingAccess] = [:]
    var hasFailed = false
  }

  /// The seconds for which a decision is used, within which `Cache-Control` decides; the first also without it.
  static let lifetimes: ClosedRange<Int64> = 2...3_600

  /// The seconds after which a question without a response is sent again.
  static let retry: Int64 = 2

  let settings: Settings
  private let logger: Logger
  private let queue: ProviderQueue
  private let send: @Sendable (TransportRequest) async -> Result<ProviderResponse, ProviderFailure>
  private let clock: @Sendable () -> Int64
  private let state: Mutex<State>

  /// Creates a webhook without decisions, which are counted in a ledger.
  init(
    _ settings: Settings, _ logger: Logger, _ queue: ProviderQueue, _ ledger: Ledger,
    clock: @escaping @Sendable () -> Int64 = { WallTime.now.milliseconds / 1000 },
    send: (@Sendable (TransportRequest) async -> Result<ProviderResponse, ProviderFailure>)? = nil
  ) {
    self.settings = settings
    self.logger = logger
    self.queue = queue
    self.clock = clock
    let connections = ProviderConnections()
    self.send = send ?? { await ProviderHTTP.send($0, to: settings.url, over: connections) }
    state = Mutex(State(table: DecisionTable(ledger)))
  }

  deinit { state.withLock { $0.table.removeAll() } }

  /// The number of decisions that are retained.
  var count: Int { state.withLock { $0.table.count } }

  func decision(
    on question: AccessQuestion, endingAfter time: Int64, at now: Int64, for account: Account?
  ) -> AccessDecision {
    state.withLock { state in
      if let known = state.table.decision(question.digest, endingAfter: time, at: now) {
        return known
      }
      if let running = state.running[question.digest] { return .pending(running) }
      guard queue.reserve(for: account) else { return .beyondShare(of: ProviderQueue.capacity) }
      let pending = PendingAccess(Task { await ask(question, for: account) })
      state.running[question.digest] = pending
      return .pending(pending)
    }
  }

  func known(_ question: AccessQuestion, at now: Int64) -> Bool? {
    let known = state.withLock { $0.table.decision(question.digest, endingAfter: now, at: now) }
    if case .decided(let isAllowed, _)? = known { return isAllowed }
    return nil
  }

  private func ask(_ question: AccessQuestion, for account: Account?) async -> AccessDecision {
    let result = await queue.run(for: account) { await send(request(question)) }
    let now = clock()
    var decision: (isAllowed: Bool, until: Int64)?
    var failure: String?
    switch result {
    case .success(let response)?:
      if response.status == 200, let isAllowed = AccessDecision.isAllowed(in: response.body) {
        let lifetime = min(
          max(response.maxAge ?? 0, Self.lifetimes.lowerBound), Self.lifetimes.upperBound)
        decision = (isAllowed, now + lifetime)
      } else {
        failure =
          response.status == 200
          ? #"\(settings.url) responded without {"allow": true} or {"allow": false}"#
          : "\(settings.url) responded with the status \(response.status)"
      }
    case .failure(let error)?: failure = error.reason
    case nil: failure = "too many questions wait for \(settings.url)"
    }
    let isNew = state.withLock { state in
      state.running[question.digest] = nil
      state.table.record(
        decision, retryAt: failure == nil ? .min : now + Self.retry, question.digest, for: account,
        at: now)
      defer { state.hasFailed = failure != nil }
      return failure != nil && !state.hasFailed
    }
    if isNew, let failure { logger.warning("no decision of the webhook", ["reason": failure]) }
    return decision.map { .decided(isAllowed: $0.isAllowed, until: $0.until) } ?? .unavailable
  }

  private func request(_ question: AccessQuestion) -> TransportRequest {
    let code = MessageAuthentication.code(for: question.body, key: settings.secret)
    let digits = code.map { byte in
      (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
    return TransportRequest(
      "POST", "",
      fields: [
        .init("Accept", "application/json"), .init("Content-Type", "application/json"),
        .init("X-Hub-Signature-256", "sha256=" + digits.joined()),
      ], body: question.body, timeout: ProviderHTTP.timeout)
  }
}
