internal import Dispatch
internal import Glibc
internal import Identity
internal import ReactorCore
internal import Telemetry

/// `reactord auth explain`: whether a token is accepted, which rule grants its principal a right, and what is
/// missing.
///
/// It reads the files of the configuration and the keys of the providers, and asks no service: revocations in the
/// store and the delegates of reactors are not part of the result.
public struct ExplainCommand: Sendable {
  /// The file with the token, or `nil` for the one in `REACTORD_TOKEN`.
  let tokenFile: String?

  /// The token in the environment; empty for an anonymous request.
  let token: String

  /// The right in question.
  let right: Right

  /// The name of the action in question, or `nil` for any.
  let action: String?

  /// The session or the reactor in question, or `nil` for the service.
  let target: String?

  /// Reads the flags of the command.
  init(_ flags: [String: [String]], token: String?) throws(ConfigurationError) {
    let name = flags["--right"]?.last ?? ""
    guard let right = Right(name: name) else {
      throw .usage("--right: expected \(Right.names), found \"\(name)\"")
    }
    self.right = right
    target = flags["--on"]?.last
    action = flags["--do"]?.last
    tokenFile = flags["--token"]?.last
    self.token = token ?? ""
  }

  /// The time in seconds since 1970.
  private static var now: Int64 { WallTime.now.milliseconds / 1000 }

  static let flags = ["--token", "--right", "--on", "--do"]

  /// Prints the result.
  ///
  /// - Throws: If the right is not granted: exit code 77 (EX_NOPERM).
  func execute(_ configuration: Configuration) throws(ConfigurationError) {
    let providers = Providers(.silent)
    let files = CredentialFiles(
      settings: configuration.authentication, reactors: nil, logger: .silent, providers: providers)
    guard let credentials = try files.configuration() else {
      print("allowed: no setting of auth is used, so that every request is permitted")
      return
    }
    let token = try readToken()
    let isDecided = DispatchSemaphore(value: 0)
    // The command has the main thread, which no task needs.
    Task.detached {
      await providers.firstKeys()
      let authenticator = Authenticator(files.withProviders(credentials))
      await authenticator.pendingDecision(on: Array(token.utf8), at: Self.now)?.wait()
      isDecided.signal()
    }
    isDecided.wait()
    let (lines, isAllowed) = explain(
      Authenticator(files.withProviders(credentials)), token, at: Self.now)
    for line in lines { print(line) }
    guard isAllowed else {
      throw ConfigurationError(message: "the right is not granted", exitCode: EX_NOPERM)
    }
  }

  /// Returns the result as lines, and whether the right is granted.
  func explain(
    _ authenticator: Authenticator, _ token: String, at now: Int64
  ) -> (lines: [String], isAllowed: Bool) {
    var access = authenticator.anonymous
    var lines: [String] = []
    if token.isEmpty {
      lines.append("no token: the request is anonymous")
    } else {
      do throws(Authenticator.Failure) {
        access = try authenticator.authenticate(Array(token.utf8), at: now)
      } catch {
        return (["token rejected: \(error.sentence)"], false)
      }
      let expiry = access.expiry.map { ", until \(WallTime(seconds: $0))" } ?? ""
      lines.append("token accepted: principal \(access.principal?.id ?? "without a name")\(expiry)")
    }
    let result = authenticator.explain(
      access, right, to: .init(name: target),
      for: action.map { .action($0) } ?? .some, at: now)
    lines.append(
      "\(result.isAllowed ? "allowed" : "not allowed"): \(right.name) on \(target ?? "the service")"
    )
    for claim in result.derived {
      let outcome =
        claim.value.map { "is \($0.debugDescription)" } ?? "is missing: it does not match"
      lines.append("  auth.claims (\(claim.claim) from \(claim.from)): \(outcome)")
    }
    for rule in result.rules {
      let pattern = rule.to.map { " to \($0)" } ?? ""
      let kind = rule.deny.map { "deny \($0)" } ?? rule.allow ?? ""
      let outcome = rule.deny == nil ? "It grants the right." : "It denies the right."
      lines.append("  \(rule.rule) (\(kind)\(pattern)): \(rule.missing ?? outcome)")
    }
    return (lines, result.isAllowed)
  }

  private func readToken() throws(ConfigurationError) -> String {
    guard let tokenFile else { return token }
    do throws(FileProblem) {
      let bytes = try SmallFile.read(tokenFile, limit: 16_384)
      return String(
        decoding: bytes.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") },
        as: UTF8.self)
    } catch {
      throw .configuration("--token: \(tokenFile): \(error.reason)")
    }
  }
}
