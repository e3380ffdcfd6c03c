internal import ReactorHost
internal import ReactorLog
internal import ReactorTransport

/// The bearer tokens (RFC 6750) of a host and their rights.
///
/// A line of the file is a token, or `sha256:` and its hexadecimal digest; a right (`read`, `write`
/// or `admin`); and optionally the reactors to which the token is limited:
///
/// ```
/// # token       right  reactors
/// sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0bb22cd15d6c15b0f00a08  write  counter,chat
/// a-long-random-text  admin
/// ```
///
/// Only digests are held in memory; comparing them takes the same time for every credential.
public struct AccessTokens: Sendable {
  private struct Token {
    /// Lowercase hexadecimal digits.
    let digest: String
    let right: AccessRight
    /// `nil` for all reactors.
    let reactors: Set<String>?
  }

  /// A malformed line of a file.
  public struct SyntaxError: Error, Equatable {
    /// The line, counted from 1.
    public let line: Int

    /// The expected content.
    public let message: String
  }

  private var tokens: [Token] = []

  /// Parses the text of a file.
  public init(_ text: String) throws(SyntaxError) {
    let lines = text.split(omittingEmptySubsequences: false) { $0.isNewline }
    for (index, line) in lines.enumerated() {
      let words = line.split { $0 == " " || $0 == "\t" }
      guard let secret = words.first, !secret.hasPrefix("#") else { continue }
      func wrong(_ message: String) -> SyntaxError {
        SyntaxError(line: index + 1, message: message)
      }
      guard (2...3).contains(words.count), let right = AccessRight(scope: String(words[1])) else {
        throw wrong("expected a token, one of read, write or admin, and optionally reactors")
      }
      let reactors = words.count > 2 ? Set(words[2].split(separator: ",").map(String.init)) : nil
      guard let digest = Self.digest(of: secret) else {
        throw wrong("expected 64 hexadecimal digits after sha256:")
      }
      guard secret.hasPrefix("sha256:") || secret.utf8.count >= 16 else {
        throw wrong("expected a token of at least 16 characters")
      }
      tokens.append(Token(digest: digest, right: right, reactors: reactors))
    }
  }

  private static func digest(of secret: Substring) -> String? {
    guard secret.hasPrefix("sha256:") else { return SHA256.hexadecimal(of: Array(secret.utf8)) }
    let digits = secret.dropFirst(7)
    guard digits.utf8.count == 64, digits.allSatisfy(\.isHexDigit) else { return nil }
    return digits.lowercased()
  }

  /// The names that occur in the file and are not among those of the hosted reactors.
  public func unknownReactors(hosted: some Sequence<String>) -> [String] {
    tokens.reduce(into: Set<String>()) { $0.formUnion($1.reactors ?? []) }
      .subtracting(hosted).sorted()
  }

  // MARK: Checking

  /// Rejects a request whose token is missing, unknown or without the right.
  func check(
    _ request: HTTPRequest, _ scope: RequestScope, needs right: AccessRight, at resource: Resource,
    inQuery takesQuery: Bool
  ) throws(Problem) {
    guard right > .none else { return }
    let isStream = resource.endpoints[0].traits.contains(.stream)
    guard let secret = try Self.secret(of: request, inQuery: takesQuery && isStream) else {
      throw Problem(
        .unauthorized, "Send Authorization: Bearer and a token of this host.",
        headers: ["WWW-Authenticate": #"Bearer realm="reactord""#])
    }
    guard let token = find(secret) else {
      throw Problem(
        .unauthorized, "The token is not one of this host's.",
        headers: ["WWW-Authenticate": #"Bearer realm="reactord", error="invalid_token""#])
    }
    guard token.right >= right,
      try Self.isWithin(token.reactors, resource.endpoints[0].reach, request, scope)
    else {
      throw Problem(
        .forbidden, "The token may not do this. It needs the right to \(right.scope) here.",
        headers: [
          "WWW-Authenticate":
            #"Bearer realm="reactord", error="insufficient_scope", scope="\#(right.scope)""#
        ])
    }
  }

  /// Compares a credential with every token, so that the time reveals nothing.
  private func find(_ secret: String) -> Token? {
    let digest = SHA256.hexadecimal(of: Array(secret.utf8))
    var found: Token?
    for token in tokens {
      let difference = zip(token.digest.utf8, digest.utf8).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) }
      if difference == 0 { found = token }
    }
    return found
  }

  private static func secret(
    of request: HTTPRequest, inQuery takesQuery: Bool
  ) throws(Problem) -> String? {
    if let field = request[header: .authorization] {
      let words = field.split(separator: " ", maxSplits: 1)
      guard words.count == 2, words[0].lowercased() == "bearer" else { return nil }
      return String(words[1].trimmingSpaces())
    }
    // An EventSource cannot set header fields.
    return takesQuery ? try Query(request.query)["access_token"] : nil
  }

  /// Whether a token that is limited to some reactors suffices for a request.
  private static func isWithin(
    _ reactors: Set<String>?, _ reach: AccessReach, _ request: HTTPRequest, _ scope: RequestScope
  ) throws(Problem) -> Bool {
    guard let reactors else { return true }
    switch reach {
    case .noReactor: return true
    case .allReactors: return false
    case .reactorInPath: return reactors.contains(scope["reactor"])
    case .sessionsInQuery:
      // Malformed names are reported by the endpoint.
      return try Query(request.query).all("session").allSatisfy { name in
        name.split(separator: "/").first.map { reactors.contains(String($0)) } ?? true
      }
    }
  }
}
