internal import Identity
internal import ReactorCoding
internal import ReactorCore
internal import Synchronization
internal import Telemetry

/// The key set of one provider, requested when it is due and when a token names a key that is not known.
///
/// ```
///   due, unknown key ──▶ configuration ──▶ key set ──▶ parsed ──▶ other keys: changed
///                              │              │          │
///                              └──────────────┴──────────┴──▶ failure: the former keys stay
/// ```
///
/// One request runs at a time. All methods may be called on any thread.
final class ProviderKeys: KeySource {
  private struct State {
    var keys: KeySet?
    /// When the last request began that has succeeded.
    var confirmed: Int64?
    /// The entity tag of the key set.
    var tag: String?
    /// The address of the key set in the provider's configuration, and when it was read.
    var address: (url: ProviderURL, at: Int64)?
    var schedule = RefreshSchedule()
    /// The reason of the last failure, or `nil` after a success.
    var failure: String?
    var running: PendingDecision?
  }

  /// The seconds after which the provider's configuration is read again.
  static let configurationLifetime: Int64 = 86_400

  let issuer: TrustedIssuer
  private let fetch: ProviderFetch
  private let clock: @Sendable () -> Int64
  private let logger: Logger
  private let changed: @Sendable () -> Void
  private let state = Mutex(State())

  /// Creates an object without keys; it sends no request before ``start()``.
  ///
  /// - Parameters:
  ///   - issuer: The provider.
  ///   - logger: Logs failures, and keys that cannot be used.
  ///   - fetch: Gets a document.
  ///   - clock: Returns the time in seconds since 1970.
  ///   - changed: Called when the provider has published other keys.
  init(
    _ issuer: TrustedIssuer, _ logger: Logger, fetch: @escaping ProviderFetch,
    clock: @escaping @Sendable () -> Int64, changed: @escaping @Sendable () -> Void
  ) {
    self.issuer = issuer
    self.logger = logger
    self.fetch = fetch
    self.clock = clock
    self.changed = changed
  }

  /// The keys, or `nil` before the provider has published any.
  var keys: KeySet? { state.withLock { $0.keys } }

  var confirmed: Int64? { state.withLock { $0.failure == nil ? $0.confirmed : nil } }

  /// A notice for operators while the provider does not respond, or `nil`.
  var notice: String? {
    state.withLock { state in
      guard state.failure != nil else { return nil }
      guard let confirmed = state.confirmed else {
        return "\(issuer.issuer) has not published its keys, and its tokens are not accepted."
      }
      return "The keys of \(issuer.issuer) are those of \(WallTime(seconds: confirmed))."
    }
  }

  func refresh(at now: Int64) -> PendingDecision? {
    state.withLock { $0.running ?? ($0.schedule.permitsRequest(at: now) ? begin(&$0, now) : nil) }
  }

  /// Requests the keys if they are due; returns the request.
  @discardableResult
  func start() -> PendingDecision? {
    let now = clock()
    return state.withLock { state in
      guard state.running == nil, state.schedule.isDue(at: now) else { return nil }
      return begin(&state, now)
    }
  }

  private func begin(_ state: inout State, _ now: Int64) -> PendingDecision {
    state.schedule.begin(at: now)
    let request = PendingDecision(Task { await load() })
    state.running = request
    return request
  }

  private func load() async {
    let begun = clock()
    let (tag, known) = state.withLock { ($0.tag, $0.failure == nil ? $0.address : nil) }
    let result: Result<(ProviderResponse, KeySet?), ProviderFailure>
    do throws(ProviderFailure) {
      let url = try await address(known)
      let response = try await fetch(url, tag).get()
      result = .success((response, try keys(in: response, url, since: tag)))
    } catch {
      result = .failure(error)
    }
    let isChanged = finish(result, begunAt: begun)
    if isChanged { changed() }
    state.withLock { $0.running = nil }
  }

  /// Returns the address of the key set.
  private func address(
    _ known: (url: ProviderURL, at: Int64)?
  ) async throws(ProviderFailure) -> ProviderURL {
    if let keys = issuer.keys { return keys }
    let now = clock()
    if let known, (0..<Self.configurationLifetime).contains(now - known.at) { return known.url }
    guard let url = issuer.configuration else {
      throw ProviderFailure(reason: "the address of its configuration is no URL")
    }
    let response = try await fetch(url, nil).get()
    guard response.status == 200 else {
      throw ProviderFailure(reason: "\(url) responded with the status \(response.status)")
    }
    let found = try Self.address(in: response.body, of: issuer)
    state.withLock { $0.address = (found, now) }
    return found
  }

  /// Reads the address of the key set from a provider's configuration (OpenID Connect Discovery 1.0, 4.3).
  static func address(
    in body: [UInt8], of issuer: TrustedIssuer
  ) throws(ProviderFailure) -> ProviderURL {
    guard let root = (try? JSONDocument(parsing: body))?.root,
      let name = root["issuer"]?.string, let keys = root["jwks_uri"]?.string
    else {
      throw ProviderFailure(reason: "its configuration is no object with issuer and jwks_uri")
    }
    guard name.utf8.elementsEqual(issuer.issuer.utf8) else {
      throw ProviderFailure(reason: "its configuration is that of another issuer")
    }
    guard let url = ProviderURL(keys), url.isSecure || !issuer.url.isSecure else {
      throw ProviderFailure(reason: "its jwks_uri is no https:// URL")
    }
    return url
  }

  /// Returns the keys in a response, or `nil` if they are the known ones, whose entity tag the request had.
  private func keys(
    in response: ProviderResponse, _ url: ProviderURL, since tag: String?
  ) throws(ProviderFailure) -> KeySet? {
    switch response.status {
    case 304 where tag != nil: return nil
    case 200:
      do throws(KeySet.Failure) {
        return try KeySet(published: response.body)
      } catch {
        throw ProviderFailure(reason: "\(url): \(error.description)")
      }
    default: throw ProviderFailure(reason: "\(url) responded with the status \(response.status)")
    }
  }

  /// Records the end of a request; returns whether there are other keys.
  private func finish(
    _ result: Result<(ProviderResponse, KeySet?), ProviderFailure>, begunAt begun: Int64
  ) -> Bool {
    let now = clock()
    switch result {
    case .failure(let failure):
      let isNew = state.withLock { state in
        state.schedule.fail(at: now)
        defer { state.failure = failure.reason }
        return state.failure != failure.reason
      }
      if isNew {
        logger.warning(
          "keys of a provider not read", ["issuer": issuer.issuer, "reason": failure.reason])
      }
      return false
    case .success((let response, let keys)):
      let (isChanged, hadFailed) = state.withLock { state in
        let (former, hadFailed) = (state.keys, state.failure != nil)
        state.schedule.succeed(response.maxAge, at: now)
        (state.failure, state.confirmed) = (nil, begun)
        guard let keys else { return (false, hadFailed) }
        (state.keys, state.tag) = (keys, response.tag)
        return (former.map { !$0.isEqual(to: keys) } ?? true, hadFailed)
      }
      if isChanged || hadFailed {
        for warning in isChanged ? keys?.warnings ?? [] : [] {
          logger.warning("a key is skipped", ["issuer": issuer.issuer, "reason": warning])
        }
        logger.info("keys of a provider read", ["issuer": issuer.issuer])
      }
      return isChanged
    }
  }
}
