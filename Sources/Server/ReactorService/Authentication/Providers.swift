internal import Identity
internal import ReactorCore
internal import Shares
internal import Synchronization
internal import Telemetry

/// The providers of `auth.issuers`, and their keys.
final class Providers: Sendable {
  private struct State {
    var keys: [ProviderKeys] = []
    var changed: @Sendable () -> Void = {}
    var introspection: Introspection?
    var webhook: Webhook?
  }

  private let logger: Logger
  private let fetch: ProviderFetch
  private let clock: @Sendable () -> Int64
  private let ledger: Ledger
  private let queue: ProviderQueue
  private let state = Mutex(State())

  /// Creates an object without providers.
  ///
  /// - Parameters:
  ///   - logger: Logs failures.
  ///   - ledger: Counts the requests that clients cause.
  ///   - fetch: Gets a document.
  ///   - clock: Returns the time in seconds since 1970.
  init(
    _ logger: Logger, _ ledger: Ledger = Ledger(),
    fetch: @escaping ProviderFetch = ProviderHTTP.get,
    clock: @escaping @Sendable () -> Int64 = { WallTime.now.milliseconds / 1000 }
  ) {
    self.logger = logger
    self.fetch = fetch
    self.ledger = ledger
    queue = ProviderQueue(ledger)
    self.clock = clock
  }

  /// Returns the verifiers of issuers, and requests the keys of those that were not known before.
  ///
  /// - Parameters:
  ///   - issuers: All issuers, which replace those of the last call.
  ///   - hasOthers: Whether tokens of other issuers are accepted as well.
  ///   - names: Further qualifiers, with which no `sub` without one may begin.
  /// - Returns: The verifiers, in the order of the issuers.
  func verifiers(
    for issuers: [TrustedIssuer], hasOthers: Bool, reserving names: [String] = []
  ) -> [IssuerVerifier] {
    let keys = state.withLock { state in
      state.keys = issuers.map { issuer in
        // Audience and name are the verifier's: the keys stay if they change.
        state.keys.first { $0.issuer.issuer == issuer.issuer && $0.issuer.keys == issuer.keys }
          ?? ProviderKeys(
            issuer, logger, fetch: fetch, clock: clock,
            changed: { [weak self] in self?.keysChanged() })
      }
      return state.keys
    }
    for provider in keys where provider.keys == nil { provider.start() }
    return zip(issuers, keys).map { issuer, provider in
      let others = issuers.filter { $0 != issuer }
      return IssuerVerifier(
        issuer, keys: provider.keys,
        among: others.isEmpty && !hasOthers ? nil : others, reserving: names, from: provider)
    }
  }

  /// Returns the introspection with some settings, with the responses that it has.
  func introspection(_ settings: Introspection.Settings) -> Introspection {
    state.withLock { state in
      if let known = state.introspection, known.settings == settings { return known }
      let introspection = Introspection(settings, logger, queue, clock: clock)
      state.introspection = introspection
      return introspection
    }
  }

  /// Returns the webhook with some settings, with the decisions that it has.
  func webhook(_ settings: Webhook.Settings) -> Webhook {
    state.withLock { state in
      if let known = state.webhook, known.settings == settings { return known }
      let webhook = Webhook(settings, logger, queue, ledger, clock: clock)
      state.webhook = webhook
      return webhook
    }
  }

  /// Sets the function to call when a provider has published other keys, and calls it.
  func onChange(_ changed: @escaping @Sendable () -> Void) {
    state.withLock { $0.changed = changed }
    changed()
  }

  /// Requests keys when they are due, until the task is cancelled.
  func watch() async throws {
    while true {
      for provider in state.withLock({ $0.keys }) { provider.start() }
      try await Task.sleep(for: .seconds(1))
    }
  }

  /// Waits until each provider has responded once, or has not in time.
  func firstKeys() async {
    for provider in state.withLock({ $0.keys }) where provider.keys == nil {
      await provider.refresh(at: clock())?.wait()
    }
  }

  /// A notice for operators while a provider does not respond, or `nil`.
  var notice: String? {
    let notices = state.withLock { $0.keys }.compactMap(\.notice)
    return notices.isEmpty ? nil : notices.joined(separator: " ")
  }

  private func keysChanged() { state.withLock { $0.changed }() }
}
