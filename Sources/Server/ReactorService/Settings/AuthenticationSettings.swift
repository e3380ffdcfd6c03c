internal import Identity

/// The settings of the group `auth`.
public struct AuthenticationSettings: Sendable {
  /// `auth.issuers`: the providers whose tokens are accepted.
  var issuers = JSONList<TrustedIssuer>()

  /// `auth.jwt.keys`: the path of the key file; empty accepts no JSON Web Tokens.
  public var keyFile = ""

  /// `auth.jwt.issuer`: the value that `iss` must have; empty for any.
  public var issuer = ""

  /// `auth.jwt.audience`: `aud` must contain one of these values; empty for any.
  public var audience: [String] = []

  /// `auth.cookie`: the name of the cookie that holds a JSON Web Token; empty for none.
  public var cookie = ""

  /// How long a ticket is valid.
  public var ticketLifetime = Duration.seconds(30)

  /// `auth.secret`: the path of the file whose bytes sign tickets; empty for random bytes.
  public var secretFile = ""

  /// `auth.introspection.url`: the address for the introspection of opaque tokens; empty for none.
  public var introspectionURL = ""

  /// `auth.introspection.client`: the id of the service at this address; empty for none.
  public var introspectionClient = ""

  /// `auth.introspection.secret`: the path of the file with the secret of the service there; empty for none.
  public var introspectionSecretFile = ""

  /// `auth.webhook.url`: the address of the server that decides after the rules; empty for none.
  public var webhookURL = ""

  /// `auth.webhook.secret`: the path of the file with the secret that authenticates its questions.
  public var webhookSecretFile = ""

  /// `auth.rules`: the configured grants.
  var rules = JSONList<AccessRule>()

  /// `auth.claims`: the claims that follow from others.
  var claims = JSONList<DerivedClaim>()

  /// `auth.tokens`: the path of the token file; empty for none.
  public var tokenFile = ""

  /// `auth.revoked`: the path of the file of revoked credentials; empty for none.
  public var revokedFile = ""

  /// Creates the default settings, which authenticate no client and permit everything.
  public init() {}

  /// Whether any credential or rule is configured: then all other access is denied.
  var isUsed: Bool {
    !(keyFile.isEmpty && tokenFile.isEmpty && rules.isEmpty && issuers.isEmpty
      && introspectionURL.isEmpty)
  }

  /// The files whose changes are applied while the service runs.
  var files: [String] {
    [
      keyFile, tokenFile, secretFile, revokedFile, introspectionSecretFile, webhookSecretFile,
    ].filter { !$0.isEmpty }
  }
}
