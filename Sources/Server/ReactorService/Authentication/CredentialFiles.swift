internal import Glibc
internal import Identity
internal import Telemetry
internal import TerminalClient

/// Reads the files of the group `auth`.
struct CredentialFiles: Sendable {
  /// The settings that name the files.
  let settings: AuthenticationSettings

  /// The names of the hosted reactors, which the token file may contain, or `nil` for any.
  let reactors: [String]?

  /// Logs keys that cannot be used.
  let logger: Logger

  /// The servers that decide on credentials and requests.
  var providers = Providers(.silent)

  /// The size above which a file is rejected, in bytes.
  static let sizeLimit = 1_048_576

  /// The configuration whose random key encrypts tickets without `auth.secret`: they are valid in this
  /// process only.
  private static let processConfiguration = Authenticator.Configuration()

  /// The minimum size of the secret in bytes.
  private static let secretLength = 32

  /// Reads the keys, tokens, rules and the secret.
  ///
  /// - Returns: The configuration, or `nil` if no setting restricts the use of the service.
  /// - Throws: A `ConfigurationError` for the first file that cannot be used.
  func configuration() throws(ConfigurationError) -> Authenticator.Configuration? {
    guard settings.isUsed else {
      let keys = "auth.jwt.keys"
      for (name, value, needed) in [
        ("auth.cookie", settings.cookie, keys + " or auth.issuers"),
        ("auth.jwt.issuer", settings.issuer, keys),
        ("auth.jwt.audience", settings.audience.joined(), keys),
        ("auth.introspection.client", settings.introspectionClient, "auth.introspection.url"),
        ("auth.introspection.secret", settings.introspectionSecretFile, "auth.introspection.url"),
      ] where !value.isEmpty {
        throw .configuration("\(name): it needs \(needed)")
      }
      guard settings.secretFile.isEmpty else {
        throw .configuration(
          "auth.secret: it needs auth.issuers, auth.jwt.keys, auth.tokens or auth.rules")
      }
      guard settings.claims.isEmpty else {
        throw .configuration("auth.claims: it needs auth.issuers, auth.jwt.keys or auth.rules")
      }
      guard settings.webhookURL.isEmpty else {
        throw .configuration(
          "auth.webhook.url: it decides after the rules; it needs auth.issuers, auth.jwt.keys, auth.tokens or auth.rules"
        )
      }
      guard settings.revokedFile.isEmpty else {
        throw .configuration("auth.revoked: it needs auth.issuers, auth.jwt.keys or auth.tokens")
      }
      return nil
    }
    var configuration = Self.processConfiguration
    configuration.staticTokens = try staticTokens()
    configuration.verifier = try verifier()
    configuration.rules = settings.rules.elements
    configuration.derived = settings.claims.elements
    configuration.revoked = try revoked()
    configuration.introspection = try introspection()
    configuration.webhook = try webhook()
    configuration.ticketLifetime = max(1, settings.ticketLifetime.components.seconds)
    if !settings.secretFile.isEmpty {
      let secret = try read(settings.secretFile, for: "auth.secret")
      guard secret.count >= Self.secretLength else {
        throw .configuration(
          "auth.secret: \(settings.secretFile): expected at least \(Self.secretLength) bytes")
      }
      configuration.ticketKey = secret
    }
    return withProviders(configuration)
  }

  /// Returns the configuration with the current keys of the providers.
  func withProviders(_ configuration: Authenticator.Configuration) -> Authenticator.Configuration {
    var configuration = configuration
    configuration.issuers =
      providers.verifiers(
        for: settings.issuers.elements, hasOthers: !settings.keyFile.isEmpty,
        reserving: introspectionNames)
    return configuration
  }

  /// The qualifiers of principals of opaque tokens only.
  private var introspectionNames: [String] {
    settings.introspectionURL.isEmpty ? [] : [IntrospectionQualifiers.own]
  }

  private func verifier() throws(ConfigurationError) -> TokenVerifier? {
    let path = settings.keyFile
    guard !path.isEmpty else {
      guard settings.cookie.isEmpty || !settings.issuers.isEmpty else {
        throw .configuration("auth.cookie: it needs auth.jwt.keys or auth.issuers")
      }
      return nil
    }
    guard !settings.issuers.elements.contains(where: \.name.isEmpty) else {
      throw .configuration(
        #"auth.issuers: remove "name": "" or auth.jwt.keys: without a name, users of both may be the same"#
      )
    }
    var rules = TokenVerifier.Rules()
    rules.otherQualifiers = settings.issuers.elements.map(\.name) + introspectionNames
    rules.issuer = settings.issuer.isEmpty ? nil : settings.issuer
    rules.audience = settings.audience
    let file = try read(path, for: "auth.jwt.keys")
    do throws(KeySet.Failure) {
      let keys = try KeySet(file)
      for warning in keys.warnings {
        logger.warning("a key is skipped", ["file": path, "reason": warning])
      }
      if rules.issuer == nil, rules.audience.isEmpty {
        logger.warning(
          "tokens for other services are accepted",
          ["file": path, "remedy": "set auth.jwt.audience or auth.jwt.issuer"])
      }
      return TokenVerifier(keys: keys, rules: rules)
    } catch {
      throw .configuration("auth.jwt.keys: \(path): \(error.description)")
    }
  }

  private func introspection() throws(ConfigurationError) -> Introspection? {
    guard !settings.introspectionURL.isEmpty else { return nil }
    guard let url = ProviderURL(settings.introspectionURL) else {
      throw .configuration("auth.introspection.url: expected \(ProviderURL.expected)")
    }
    let own = IntrospectionQualifiers.own
    guard !settings.issuers.elements.contains(where: { $0.name.utf8.elementsEqual(own.utf8) })
    else {
      throw .configuration(
        "auth.issuers: set another name: \(own) is that of the users of auth.introspection.url")
    }
    var client: (id: String, secret: String)?
    if !settings.introspectionClient.isEmpty {
      let path = settings.introspectionSecretFile
      let secret = path.isEmpty ? [] : try read(path, for: "auth.introspection.secret")
      client = (
        settings.introspectionClient, String(decoding: Self.line(of: secret), as: UTF8.self)
      )
    }
    let asked = Introspection.Settings(
      url: url, client: client, audience: settings.audience,
      qualifiers: IntrospectionQualifiers(
        settings.issuers.elements, keyIssuer: settings.keyFile.isEmpty ? nil : settings.issuer))
    return providers.introspection(asked)
  }

  private func webhook() throws(ConfigurationError) -> Webhook? {
    guard !settings.webhookURL.isEmpty else {
      guard settings.webhookSecretFile.isEmpty else {
        throw .configuration("auth.webhook.secret: it needs auth.webhook.url")
      }
      return nil
    }
    guard let url = ProviderURL(settings.webhookURL) else {
      throw .configuration("auth.webhook.url: expected \(ProviderURL.expected)")
    }
    let path = settings.webhookSecretFile
    guard !path.isEmpty else {
      throw .configuration(
        "auth.webhook.url: it needs auth.webhook.secret, with which the webhook checks the questions"
      )
    }
    let secret = Self.line(of: try read(path, for: "auth.webhook.secret"))
    guard secret.count >= Self.secretLength else {
      throw .configuration(
        "auth.webhook.secret: \(path): expected at least \(Self.secretLength) bytes in the first line"
      )
    }
    return providers.webhook(Webhook.Settings(url: url, secret: secret))
  }

  /// Returns the first line of a file.
  private static func line(of file: [UInt8]) -> [UInt8] {
    Array(file.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") })
  }

  private func revoked() throws(ConfigurationError) -> [Revocation] {
    let path = settings.revokedFile
    guard !path.isEmpty else { return [] }
    let file = try read(path, for: "auth.revoked")
    do throws(Revocation.SyntaxError) {
      return try Revocation.list(of: file)
    } catch {
      let place = error.pointer.isEmpty ? "" : "\(error.pointer): "
      throw .configuration("auth.revoked: \(path): \(place)\(error.reason)")
    }
  }

  private func staticTokens() throws(ConfigurationError) -> StaticTokens? {
    let path = settings.tokenFile
    guard !path.isEmpty else { return nil }
    let text = try read(path, for: "auth.tokens")
    // A program that is writing the file has emptied it first.
    guard text.contains(where: { !" \t\r\n".utf8.contains($0) }) else {
      throw .configuration(
        "auth.tokens: \(path): the file is empty; a file with a comment (#) revokes all tokens")
    }
    let tokens: StaticTokens
    do throws(StaticTokens.SyntaxError) {
      tokens = try StaticTokens(String(decoding: text, as: UTF8.self))
    } catch {
      throw .configuration("auth.tokens: \(path): line \(error.line): \(error.message)")
    }
    let unknown = reactors.map { tokens.reactors.subtracting($0).sorted() } ?? []
    guard unknown.isEmpty else {
      throw .configuration(
        "auth.tokens: \(path): no reactor is named \(unknown.joined(separator: ", "))")
    }
    return tokens
  }

  private func read(_ path: String, for setting: String) throws(ConfigurationError) -> [UInt8] {
    do throws(FileProblem) {
      return try SmallFile.read(path, limit: Self.sizeLimit)
    } catch {
      throw .configuration("\(setting): \(path): \(error.reason)")
    }
  }

  /// The inode numbers, sizes and modification times of the files: differs after each change of one
  /// of them.
  var signature: [UInt64] {
    settings.files.flatMap { path -> [UInt64] in
      var status = stat()
      guard unsafe stat(path, &status) == 0 else { return [0] }
      return [
        UInt64(status.st_ino), UInt64(bitPattern: Int64(status.st_size)),
        UInt64(bitPattern: Int64(status.st_mtim.tv_sec)),
        UInt64(bitPattern: Int64(status.st_mtim.tv_nsec)),
      ]
    }
  }
}
