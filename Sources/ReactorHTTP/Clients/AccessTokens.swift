internal import ReactorHost

/// The bearer tokens (RFC 6750) that a host has given out, and what each may do.
///
/// A line of the file is a token, or `sha256:` and the hexadecimal digest of one; a right; and the
/// reactors that it is for, where it is not for all:
///
/// ```
/// # who       right  reactors
/// sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0bb22cd15d6c15b0f00a08  write  counter,chat
/// a-long-random-text  admin
/// ```
///
/// In memory there are digests only, and they are compared in the same time whatever they hold.
public struct AccessTokens: Sendable {
  /// What a token may do; each right includes those before it.
  enum Right: String, CaseIterable, Comparable, Sendable {
    /// Read states, logs, lists and streams.
    case read

    /// Run actions; make, fork and end sessions.
    case write

    /// Set globals.
    case admin

    static func < (left: Right, right: Right) -> Bool {
      left.level < right.level
    }

    private var level: Int { Self.allCases.firstIndex(of: self) ?? 0 }
  }

  private struct Token {
    /// In lowercase hexadecimal digits.
    let digest: String
    let right: Right
    /// `nil` for all.
    let reactors: Set<String>?
  }

  /// What is wrong with a file, and on which line.
  public struct SyntaxError: Error, Equatable {
    /// The line, counted from 1.
    public let line: Int

    /// What was expected there.
    public let message: String
  }

  private var tokens: [Token] = []

  /// Reads the text of a file.
  public init(_ text: String) throws(SyntaxError) {
    let lines = text.split(omittingEmptySubsequences: false) { $0.isNewline }
    for (index, line) in lines.enumerated() {
      let words = line.split { $0 == " " || $0 == "\t" }
      guard let secret = words.first, !secret.hasPrefix("#") else { continue }
      func wrong(_ message: String) -> SyntaxError {
        SyntaxError(line: index + 1, message: message)
      }
      guard (2...3).contains(words.count), let right = Right(rawValue: String(words[1])) else {
        throw wrong("expected a token, one of read, write or admin, and perhaps reactors")
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

  // MARK: Checking

  /// Refuses a request whose token does not have the right that it needs.
  func check(
    _ request: HTTPRequest, at address: Address?, inQuery takesQuery: Bool
  ) throws(Problem) {
    guard let need = Self.need(request, address) else { return }
    guard let secret = try Self.secret(of: request, address, inQuery: takesQuery) else {
      throw Problem(
        .unauthorized, "Send Authorization: Bearer and a token of this host.",
        headers: ["WWW-Authenticate": #"Bearer realm="reactord""#])
    }
    guard let token = find(secret) else {
      throw Problem(
        .unauthorized, "The token is not one of this host's.",
        headers: ["WWW-Authenticate": #"Bearer realm="reactord", error="invalid_token""#])
    }
    guard token.right >= need, try Self.reaches(token.reactors, request, address) else {
      throw Problem(
        .forbidden, "The token may not do this. It needs the right to \(need.rawValue) here.",
        headers: [
          "WWW-Authenticate":
            #"Bearer realm="reactord", error="insufficient_scope", scope="\#(need.rawValue)""#
        ])
    }
  }

  /// Compares with every token, so that the time tells nothing.
  private func find(_ secret: String) -> Token? {
    let digest = SHA256.hexadecimal(of: Array(secret.utf8))
    var found: Token?
    for token in tokens {
      let difference = zip(token.digest.utf8, digest.utf8).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) }
      if difference == 0 { found = token }
    }
    return found
  }

  /// The right that a request needs; `nil` for what everyone may read.
  private static func need(_ request: HTTPRequest, _ address: Address?) -> Right? {
    switch address {
    case .page, .pageFile, .inspectorFile, .examples, .exampleFile, .problem, .health, .readiness,
      nil:
      nil
    case .global where request.method == "PUT": .admin
    default: request.method == "GET" || request.method == "HEAD" ? .read : .write
    }
  }

  private static func secret(
    of request: HTTPRequest, _ address: Address?, inQuery takesQuery: Bool
  ) throws(Problem) -> String? {
    if let field = request[header: .authorization] {
      let words = field.split(separator: " ", maxSplits: 1)
      guard words.count == 2, words[0].lowercased() == "bearer" else { return nil }
      return String(words[1].trimmingSpaces())
    }
    // An EventSource can set no field.
    guard takesQuery, address?.isStream == true else { return nil }
    return try Query(request.query)["access_token"]
  }

  /// Whether a token for some reactors is one for what a request asks.
  private static func reaches(
    _ reactors: Set<String>?, _ request: HTTPRequest, _ address: Address?
  ) throws(Problem) -> Bool {
    guard let reactors else { return true }
    guard let route = Route(path: request.path) else { return true }
    switch route {
    case .reactor(let name), .types(let name), .sessions(let name), .session(let name, _),
      .state(let name, _), .actions(let name, _), .events(let name, _), .log(let name, _),
      .effects(let name, _), .effect(let name, _, _):
      return reactors.contains(name)
    case .catalogue, .openAPI: return true
    // What is of all reactors at once.
    case .globals, .global, .globalEvents, .metrics: return false
    case .manyEvents:
      // Names that are none are told by the address itself.
      return try Query(request.query).all("session").allSatisfy { name in
        name.split(separator: "/").first.map { reactors.contains(String($0)) } ?? true
      }
    case .page, .pageFile, .examples, .problem, .health, .readiness: return true
    }
  }
}
