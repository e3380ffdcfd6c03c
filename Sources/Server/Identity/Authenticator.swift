internal import Crypto
internal import ReactorCore
package import Shares
internal import Synchronization

/// Authenticates credentials with the current configuration, and derives their principals and
/// grants.
///
/// All methods are safe to call on any thread. They block only for a lock that is held briefly.
package final class Authenticator: Sendable {
  /// The configuration of `auth.*`.
  package struct Configuration: Sendable {
    /// `auth.tokens`: static tokens.
    package var staticTokens: StaticTokens?

    /// `auth.jwt.*`: the verifier of JSON Web Tokens, or `nil` where no keys are configured.
    package var verifier: TokenVerifier?

    /// `auth.issuers`: the verifiers of the tokens of providers, each for another issuer.
    package var issuers: [IssuerVerifier] = []

    /// `auth.introspection.*`: asks the issuer of opaque tokens, or `nil` if none are accepted.
    package var introspection: (any TokenIntrospection)?

    /// `auth.webhook.*`: decides after the rules, or `nil` if none does.
    package var webhook: (any AccessWebhook)?

    /// `auth.rules`: the configured grants.
    package var rules: [AccessRule] = [] { didSet { ruleSet = RuleSet(rules) } }

    fileprivate var ruleSet = RuleSet([])

    /// `auth.claims`: the claims that the rules see and that follow from others.
    package var derived: [DerivedClaim] = []

    /// `auth.revoked`: credentials that are not accepted, besides those of the store.
    package var revoked: [Revocation] = []

    /// How long a ticket is valid, in seconds.
    package var ticketLifetime: Int64 = 30

    /// `auth.secret`: the key that encrypts tickets; nodes with the same key accept each other's
    /// tickets.
    package var ticketKey = RandomBytes.make(32)

    /// The maximum number of verified tokens that are cached.
    package var cacheLimit = 10_000

    /// Creates a configuration that permits nothing.
    package init() {}
  }

  /// The reasons for which a credential is rejected: 401 with `error="invalid_token"`.
  package enum Failure: Error, Equatable, Sendable {
    /// No static token has this value, and the text is not a JSON Web Token either.
    case unknownToken
    /// The JSON Web Token is rejected.
    case token(TokenVerifier.Failure)
    /// The credential was revoked.
    case revoked
    /// The ticket is malformed, expired, of another key, for another address, or already used.
    case ticket
    /// The client has failed too often, and its credential was not verified.
    case tooManyFailures
    /// The decision needs a request to another server: wait for its end, and verify again.
    case pending(PendingDecision)
    /// The decision is not possible, because another server does not respond: 503.
    case unavailable
    /// The decision needs a request to another server, and the client has its share of this number of them.
    case beyondShare(of: Int)

    /// Whether the credential was verified and rejected.
    fileprivate var isRejection: Bool {
      switch self {
      case .unknownToken, .token, .revoked, .ticket: true
      case .tooManyFailures, .pending, .unavailable, .beyondShare: false
      }
    }

    /// The reason as one sentence for `error_description`; it quotes nothing of the credential.
    package var sentence: String {
      switch self {
      case .unknownToken: "The token is unknown"
      case .token(let failure): failure.sentence
      case .revoked: "The token was revoked"
      case .ticket: "The ticket has expired, was used, or is not of this service"
      case .tooManyFailures: "Too many credentials of this address were rejected"
      case .pending, .unavailable, .beyondShare: "The provider of the token does not respond"
      }
    }
  }

  /// The values that a verification needs: one reference, so that they are not copied.
  private final class Current: Sendable {
    let configuration: Configuration
    /// The revocations of the store.
    let stored: [Revocation]
    let revocations: Revocations
    let generation: UInt64

    init(_ configuration: Configuration, _ stored: [Revocation], _ generation: UInt64) {
      self.configuration = configuration
      self.stored = stored
      self.generation = generation
      revocations = Revocations(configuration.revoked + stored)
    }
  }

  private struct State {
    let current: Current
    var anonymous: Authentication
    var cache: AccessCache
    var usedTickets = UsedTickets()

    init(_ configuration: Configuration, stored: [Revocation] = [], generation: UInt64) {
      current = Current(configuration, stored, generation)
      cache = AccessCache(limit: configuration.cacheLimit)
      anonymous = configuration.access(.anonymous, nil, generation)
    }
  }

  private let state: Mutex<State>
  /// A copy of the state's generation, which is read without the lock.
  private let generation = Atomic<UInt64>(0)

  /// Creates an authenticator.
  package init(_ configuration: Configuration) {
    state = Mutex(State(configuration, generation: 0))
  }

  /// Replaces the configuration.
  ///
  /// Credentials are verified again, those that were accepted before without permission, and their rights are derived
  /// again.
  package func replace(_ configuration: Configuration) {
    replace { (configuration, $0.current.stored) }
  }

  /// Replaces the revocations of the store.
  ///
  /// - Returns: Whether they differ from the current ones.
  @discardableResult
  package func revoke(_ stored: [Revocation]) -> Bool {
    replace { $0.current.stored == stored ? nil : ($0.current.configuration, stored) }
  }

  @discardableResult
  private func replace(_ next: (State) -> (Configuration, [Revocation])?) -> Bool {
    state.withLock { state in
      guard let (configuration, stored) = next(state) else { return false }
      let (used, cache) = (state.usedTickets, state.cache)
      state = State(configuration, stored: stored, generation: state.current.generation + 1)
      state.usedTickets = used
      state.cache = cache
      state.cache.limit = configuration.cacheLimit
      state.cache.invalidate()
      generation.store(state.current.generation, ordering: .releasing)
      return true
    }
  }

  /// The number of accepted tokens that are retained.
  package var cachedTokens: Int {
    state.withLock { $0.cache.count }
  }

  /// The grants of a request without a credential.
  package var anonymous: Authentication {
    state.withLock { $0.anonymous }
  }

  /// Authenticates the value of the header field `Authorization`.
  ///
  /// A cached token is found by its digest, without copying the token.
  ///
  /// - Parameters:
  ///   - field: The value.
  ///   - now: The time in seconds since 1970.
  ///   - account: The account of the client's address, which a request to another server is counted for.
  ///   - isPermitted: Whether to verify a token that was not accepted before; asked before the verification.
  /// - Returns: The principal and its grants, or `nil` if the value is no bearer token (RFC 6750, 2.1).
  /// - Throws: The reason for 401.
  package func authenticate(
    authorization field: String, at now: Int64, for account: Account? = nil,
    ifPermitted isPermitted: () -> Bool = { true }
  ) throws(Failure) -> Authentication? {
    var field = field
    let token = field.withUTF8 { unsafe BearerToken($0) }
    guard let token else { return nil }
    guard let digest = token.digest else { throw .token(.tooLong) }
    let (cached, isKnown) = cached(digest, at: now)
    if let cached { return cached }
    let text = field.withUTF8 { unsafe Array($0[token.start..<token.start + token.count]) }
    return try verify(text, digest, isKnown, at: now, account, isPermitted)
  }

  /// Authenticates a token from a query.
  ///
  /// - Parameters:
  ///   - token: A static token or a JSON Web Token.
  ///   - now: The time in seconds since 1970.
  ///   - account: The account of the client's address, which a request to another server is counted for.
  ///   - isPermitted: Whether to verify a token that was not accepted before; asked before the verification.
  /// - Returns: The principal and its grants.
  /// - Throws: The reason for 401.
  package func authenticate(
    _ token: [UInt8], at now: Int64, for account: Account? = nil,
    ifPermitted isPermitted: () -> Bool = { true }
  ) throws(Failure) -> Authentication {
    guard token.count <= TokenVerifier.sizeLimit else { throw .token(.tooLong) }
    let digest = unsafe token.withUnsafeBufferPointer { unsafe SHA256.Digest(of: $0) }
    let (cached, isKnown) = cached(digest, at: now)
    if let cached { return cached }
    return try verify(token, digest, isKnown, at: now, account, isPermitted)
  }

  /// Authenticates the value of a cookie, which must be a JSON Web Token: it expires, unlike a static
  /// token.
  ///
  /// - Parameters:
  ///   - token: The token.
  ///   - now: The time in seconds since 1970.
  ///   - account: The account of the client's address, which a request to another server is counted for.
  ///   - isPermitted: Whether to verify a token that was not accepted before; asked before the verification.
  /// - Returns: The principal and its grants.
  /// - Throws: The reason for 401.
  package func authenticate(
    cookie token: [UInt8], at now: Int64, for account: Account? = nil,
    ifPermitted isPermitted: () -> Bool = { true }
  ) throws(Failure) -> Authentication {
    let access = try authenticate(token, at: now, for: account, ifPermitted: isPermitted)
    switch access.source {
    case .staticToken, .opaque: throw .unknownToken
    case .key, .anonymous, .revoked: return access
    }
  }

  /// Returns the request to another server that the verification of a token waits for, or `nil` if it does not.
  package func pendingDecision(on token: [UInt8], at now: Int64) -> PendingDecision? {
    do throws(Failure) {
      _ = try authenticate(token, at: now)
      return nil
    } catch {
      if case .pending(let decision) = error { return decision }
      return nil
    }
  }

  private func cached(
    _ digest: SHA256.Digest, at now: Int64
  ) -> (access: Authentication?, isKnown: Bool) {
    state.withLock { $0.cache.access(for: digest, at: now) }
  }

  /// Verifies a token, without the lock, and adds it to the cache.
  private func verify(
    _ token: [UInt8], _ digest: SHA256.Digest, _ isKnown: Bool, at now: Int64, _ account: Account?,
    _ isPermitted: () -> Bool
  ) throws(Failure) -> Authentication {
    let current = state.withLock { $0.current }
    guard isKnown || isPermitted() else { throw .tooManyFailures }
    do throws(Failure) {
      let access = try Self.verify(token, digest, with: current, at: now, account)
      guard !current.revocations.revoke(access.principal, at: now) else { throw .revoked }
      state.withLock { state in
        if state.current === current { state.cache.insert(access, for: digest) }
      }
      return access
    } catch {
      // From now on the token needs permission, unless it was not decided on.
      if isKnown, error.isRejection {
        state.withLock { if $0.current === current { $0.cache.remove(digest) } }
      }
      throw error
    }
  }

  private static func verify(
    _ token: [UInt8], _ digest: SHA256.Digest, with current: Current, at now: Int64,
    _ account: Account?
  ) throws(Failure) -> Authentication {
    let (configuration, generation) = (current.configuration, current.generation)
    if let token = configuration.staticTokens?.token(digest: digest.bytes) {
      return access(of: token, configuration, generation)
    }
    if let introspection = configuration.introspection,
      let principal = try configuration.introspect(
        token, digest.bytes, with: introspection, at: now, account)
    {
      return configuration.access(.opaque(introspection.identity), principal, generation)
    }
    let verified = try configuration.verify(token, at: now)
    return configuration.access(.key(verified.key), verified.principal, generation)
  }

  private static func access(
    of token: StaticTokens.Token, _ configuration: Configuration, _ generation: UInt64
  ) -> Authentication {
    configuration.access(
      .staticToken(token.digest), token.principal, adding: token.rules, generation)
  }

  /// Returns whether the configuration has not been replaced since an authentication.
  package func isCurrent(_ access: Authentication) -> Bool {
    generation.load(ordering: .acquiring) == access.generation
  }

  /// Returns whether an authentication is valid without a refresh: the configuration has not been
  /// replaced since, and the credential has not expired.
  ///
  /// - Parameters:
  ///   - access: The authentication.
  ///   - now: The time in seconds since 1970.
  /// - Returns: Whether the authentication is valid.
  package func isCurrent(_ access: Authentication, at now: Int64) -> Bool {
    isCurrent(access) && access.isCurrent(at: now)
  }

  /// Renews an earlier authentication, if the configuration was replaced since.
  ///
  /// Until the configuration is replaced, a call costs one atomic load.
  ///
  /// - Parameters:
  ///   - access: The authentication.
  ///   - now: The time in seconds since 1970.
  /// - Returns: The rights of the current configuration: none if the credential is no longer accepted.
  package func current(_ access: Authentication, at now: @autoclosure () -> Int64) -> Authentication
  {
    isCurrent(access) ? access : refresh(access, at: now()) ?? .revoked
  }

  /// Derives the grants of an earlier authentication from the current configuration.
  ///
  /// A stream calls this when the configuration was replaced and when its credential may have expired.
  ///
  /// - Returns: The current grants, or `nil` if the credential has expired or was revoked, its key, the algorithm of the
  ///   key or its static token was removed, its introspection was replaced by another one, or the rules for tokens
  ///   reject its claims.
  package func refresh(_ access: Authentication, at now: Int64) -> Authentication? {
    if let expiry = access.expiry, now >= expiry { return nil }
    let current = state.withLock { $0.current }
    let (configuration, generation) = (current.configuration, current.generation)
    guard access.generation != generation else { return access }
    guard !current.revocations.revoke(access.principal, at: now) else { return nil }
    switch access.source {
    case .anonymous: return anonymous
    case .staticToken(let digest):
      return configuration.staticTokens?.token(digest: digest)
        .map { Self.access(of: $0, configuration, generation) }
    case .key(let key):
      guard let claims = access.principal?.claims,
        let principal = configuration.principal(of: claims, signedBy: key, at: now)
      else { return nil }
      return configuration.access(access.source, principal, generation)
    case .opaque(let identity):
      guard configuration.introspection?.identity == identity else { return nil }
      return configuration.access(access.source, access.principal, generation)
    case .revoked: return nil
    }
  }

  // MARK: Explanations

  /// Explains whether an authentication has a right to a target under the current configuration.
  package func explain(
    _ access: Authentication, _ right: Right, to target: Grants.Target,
    for use: Grants.Use = .some, at now: Int64
  ) -> AccessExplanation {
    let current = refresh(access, at: now) ?? access
    return state.withLock {
      current.grants.explain(
        right, to: target, for: use, configured: $0.current.configuration.rules.count,
        isRevoked: $0.current.revocations.revoke(current.principal, at: now))
    }
  }

  /// Explains whether a principal with some claims would have a right to a target.
  ///
  /// - Parameters:
  ///   - claims: The claims of a token as a JSON object with `sub`, or `nil` for an anonymous request.
  ///   - right: The right.
  ///   - target: The target.
  ///   - use: What the request does with the right to act.
  ///   - now: The time in seconds since 1970.
  /// - Returns: The explanation, or `nil` if the claims are no such object.
  package func explain(
    claims: [UInt8]?, _ right: Right, to target: Grants.Target, for use: Grants.Use = .some,
    at now: Int64
  ) -> AccessExplanation? {
    guard let claims else { return explain(anonymous, right, to: target, for: use, at: now) }
    guard let claims = StrictObject(claims)?.claims, let subject = claims.string("sub") else {
      return nil
    }
    let principal = Principal(id: subject, claims: claims)
    return state.withLock {
      let configuration = $0.current.configuration
      let grants = Grants(
        configuration.ruleSet, deriving: configuration.derived, principal: principal)
      return grants.explain(
        right, to: target, for: use, configured: configuration.rules.count,
        isRevoked: $0.current.revocations.revoke(principal, at: now))
    }
  }

  // MARK: Tickets

  /// Creates a ticket, which replaces a credential in the URL of a stream.
  ///
  /// - Parameters:
  ///   - access: An authenticated access.
  ///   - address: The client's address that the ticket is bound to, or `nil` for any.
  ///   - now: The time in seconds since 1970.
  /// - Returns: The ticket and the time at which it expires, or `nil` for an anonymous access, or if
  ///   the claims do not fit into `Ticket.sizeLimit` bytes.
  package func makeTicket(
    for access: Authentication, address: String?, at now: Int64
  ) -> (text: String, expiry: Int64)? {
    let (key, lifetime) = state.withLock {
      ($0.current.configuration.ticketKey, $0.current.configuration.ticketLifetime)
    }
    let expiry = min(now + lifetime, access.expiry ?? .max)
    let ticket = Ticket(access: access, address: address, expiry: expiry)
    return ticket?.sealed(with: key).map { ($0, expiry) }
  }

  /// Authenticates a ticket, which is valid once on this node.
  ///
  /// - Parameters:
  ///   - text: The value of `?ticket=`.
  ///   - address: The client's address.
  ///   - now: The time in seconds since 1970.
  ///   - isPermitted: Whether to verify a ticket; asked before the verification.
  /// - Returns: The principal and its grants under the current configuration.
  /// - Throws: `Failure.ticket`.
  package func authenticate(
    ticket text: [UInt8], address: String, at now: Int64,
    ifPermitted isPermitted: () -> Bool = { true }
  ) throws(Failure) -> Authentication {
    guard isPermitted() else { throw .tooManyFailures }
    let key = state.withLock { $0.current.configuration.ticketKey }
    guard let ticket = Ticket(text, key: key), now < ticket.expiry,
      ticket.address.map({ $0.utf8.elementsEqual(address.utf8) }) ?? true,
      let access = refresh(ticket.access, at: now),
      state.withLock({
        $0.usedTickets.use(ticket.nonce, of: .init(access), until: ticket.expiry, at: now)
      })
    else { throw .ticket }
    return access
  }
}

extension Authenticator.Configuration {
  /// Returns the authentication of a principal, with its rights.
  fileprivate func access(
    _ source: Authentication.Source, _ principal: Principal?, adding own: [AccessRule] = [],
    _ generation: UInt64
  ) -> Authentication {
    let grants = Grants(ruleSet, adding: own, deriving: derived, principal: principal)
    // Administrators repair a service whose webhook does not respond.
    let decider = webhook.flatMap { grants.allow(.admin, to: .service) ? nil : $0 }
    return Authentication(source, principal, grants, generation: generation, webhook: decider)
  }

  /// Verifies a JSON Web Token with the keys of its issuer; with those of the file if it is of no other issuer.
  fileprivate func verify(
    _ token: [UInt8], at now: Int64
  ) throws(Authenticator.Failure) -> TokenVerifier.Verified {
    guard verifier != nil || !issuers.isEmpty else { throw .unknownToken }
    let text: SignedText
    let claims: Claims?
    do throws(TokenVerifier.Failure) {
      text = try SignedText(token)
      claims = issuers.isEmpty ? nil : text.claims
      if let verifier, !issuers.contains(where: { $0.verifies(claims) }) {
        return try verifier.verify(text, claims, at: now)
      }
    } catch {
      throw .token(error)
    }
    guard let issuer = issuers.first(where: { $0.verifies(claims) }) else {
      throw .token(.wrongIssuer)
    }
    return try issuer.verify(text, claims, at: now)
  }

  /// Returns the principal of an opaque token, or `nil` for a JSON Web Token that keys verify.
  fileprivate func introspect(
    _ token: [UInt8], _ digest: [UInt8], with introspection: any TokenIntrospection, at now: Int64,
    _ account: Account?
  ) throws(Authenticator.Failure) -> Principal? {
    let isSigned = token.count { $0 == UInt8(ascii: ".") } == 2
    guard !isSigned || verifier == nil && issuers.isEmpty else { return nil }
    switch introspection.state(of: token, digest, at: now, for: account) {
    case .active(let principal): return principal
    case .inactive: throw .unknownToken
    case .pending(let decision): throw .pending(decision)
    case .unavailable: throw .unavailable
    case .beyondShare(let limit): throw .beyondShare(of: limit)
    }
  }

  /// Checks a token again that was accepted before.
  fileprivate func principal(
    of claims: Claims, signedBy key: SigningKey, at now: Int64
  ) -> Principal? {
    if let issuer = issuers.first(where: { $0.verifies(claims) }) {
      return issuer.principal(of: claims, signedBy: key, at: now)
    }
    return verifier?.principal(of: claims, signedBy: key, at: now)
  }
}
