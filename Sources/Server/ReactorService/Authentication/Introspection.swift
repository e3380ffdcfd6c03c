internal import ClientCore
internal import Crypto
internal import FoundationEssentials
internal import Identity
internal import ReactorCore
internal import Shares
internal import Synchronization
internal import Telemetry

/// The introspection of opaque tokens by their issuer (RFC 7662), and its responses.
///
/// All methods may be called on any thread.
final class Introspection: TokenIntrospection {
  /// The settings `auth.introspection.*`.
  struct Settings: Sendable, Equatable {
    let url: ProviderURL
    /// The id and the secret of the service at the issuer, or `nil` for none.
    let client: (id: String, secret: String)?
    /// `aud` must contain one of these values; empty for any.
    let audience: [String]
    /// The qualifiers of principals.
    var qualifiers = IntrospectionQualifiers()

    static func == (left: Settings, right: Settings) -> Bool {
      left.url == right.url && left.audience == right.audience
        && left.qualifiers == right.qualifiers
        && left.client?.id == right.client?.id && left.client?.secret == right.client?.secret
    }
  }

  private struct State {
    /// The responses by the digests of the tokens, and when they end.
    var known: [[UInt8]: (token: IntrospectedToken, until: Int64)] = [:]
    /// The requests without a response; the queue bounds their number.
    var running: [[UInt8]: PendingDecision] = [:]
    var hasFailed = false
  }

  /// The maximum number of responses that are retained.
  static let limit = 10_000

  /// The seconds for which a response is used, unless `Cache-Control` says another time, at most an hour.
  static let usualLifetime: Int64 = 300

  /// The seconds for which a token that is not active is not introspected again.
  static let inactiveLifetime: Int64 = 30

  /// The seconds after which an issuer that has not responded is queried again.
  static let retry: Int64 = 2

  let settings: Settings
  let identity: String
  private let logger: Logger
  private let queue: ProviderQueue
  private let send: @Sendable (TransportRequest) async -> Result<ProviderResponse, ProviderFailure>
  private let clock: @Sendable () -> Int64
  private let state = Mutex(State())

  /// Creates an object without responses.
  init(
    _ settings: Settings, _ logger: Logger, _ queue: ProviderQueue,
    clock: @escaping @Sendable () -> Int64 = { WallTime.now.milliseconds / 1000 },
    send: (@Sendable (TransportRequest) async -> Result<ProviderResponse, ProviderFailure>)? = nil
  ) {
    self.settings = settings
    // Without the secret: one that is rotated proves the same client.
    let accepted = [
      [settings.url.description], settings.client.map { [$0.id] } ?? [], settings.audience,
    ]
    identity = SHA256.hexadecimal(of: (accepted + settings.qualifiers.texts).description.utf8)
    self.logger = logger
    self.queue = queue
    self.clock = clock
    let connections = ProviderConnections()
    self.send = send ?? { await ProviderHTTP.send($0, to: settings.url, over: connections) }
  }

  func state(
    of token: [UInt8], _ digest: [UInt8], at now: Int64, for account: Account?
  ) -> IntrospectedToken {
    state.withLock { state in
      if let known = state.known[digest], now < known.until { return known.token }
      if let running = state.running[digest] { return .pending(running) }
      guard queue.reserve(for: account) else { return .beyondShare(of: ProviderQueue.capacity) }
      let decision = PendingDecision(Task { await ask(token, digest, for: account) })
      state.running[digest] = decision
      return .pending(decision)
    }
  }

  private func ask(_ token: [UInt8], _ digest: [UInt8], for account: Account?) async {
    let result = await queue.run(for: account) { await send(request(for: token)) }
    let now = clock()
    var known: (token: IntrospectedToken, until: Int64) = (.unavailable, now + Self.retry)
    var failure: String?
    switch result {
    case .success(let response)?:
      let lifetime = min(response.maxAge ?? Self.usualLifetime, 3_600)
      let token =
        response.status == 200
        ? IntrospectedToken(
          response.body, for: settings.audience, qualifiedBy: settings.qualifiers, at: now,
          lifetime: max(lifetime, Self.retry))
        : nil
      switch token {
      case .active(let principal)?: known = (.active(principal), principal.expiry ?? now)
      case .inactive?: known = (.inactive, now + Self.inactiveLifetime)
      case .pending?, .unavailable?, .beyondShare?, nil:
        failure = "\(settings.url) responded with the status \(response.status)"
      }
    case .failure(let error)?: failure = error.reason
    case nil: failure = "too many requests wait for \(settings.url)"
    }
    let isNew = state.withLock { state in
      if state.known.count >= Self.limit {
        state.known = state.known.filter { now < $0.value.until }
        if state.known.count >= Self.limit { state.known = [:] }
      }
      state.known[digest] = known
      state.running[digest] = nil
      defer { state.hasFailed = failure != nil }
      return failure != nil && !state.hasFailed
    }
    if isNew, let failure { logger.warning("tokens not introspected", ["reason": failure]) }
  }

  private func request(for token: [UInt8]) -> TransportRequest {
    var fields: [TransportRequest.Field] = [
      .init("Accept", "application/json"),
      .init("Content-Type", "application/x-www-form-urlencoded"),
    ]
    if let client = settings.client {
      // RFC 6749, 2.3.1: both are encoded as in a form before they are joined.
      let text = client.id.percentEncoded + ":" + client.secret.percentEncoded
      fields.append(.init("Authorization", "Basic " + Data(text.utf8).base64EncodedString()))
    }
    let text = String(decoding: token, as: UTF8.self).percentEncoded
    return TransportRequest(
      "POST", "", fields: fields, body: Array("token=\(text)&token_type_hint=access_token".utf8),
      timeout: ProviderHTTP.timeout)
  }
}
