internal import Crypto
package import ReactorCore

/// The bearer tokens of operators and scripts, read from a file.
///
/// A line has a token of at least 16 characters, or `sha256:` and the hexadecimal digest of one; a
/// right; and optionally the reactors that it is for and the name of its principal:
///
/// ```
/// # token   right   reactors      principal
/// sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0bb22cd15d6c15b0f00a08  write  counter,chat
/// a-long-random-text  admin  as=backup
/// ```
///
/// The right is one of `Right`, or `write`, which is `manage`. Memory holds digests only; each is
/// compared in constant time.
package struct StaticTokens: Sendable {
  /// The minimum length of a token in bytes.
  package static let minimumLength = 16

  /// The maximum number of tokens of a file.
  package static let limit = 10_000

  /// A token that the file lists.
  package struct Token: Sendable {
    /// The SHA-256 digest of the token.
    package let digest: [UInt8]

    /// The right that the token grants.
    package let right: Right

    /// The reactors that the token is for, or `nil` for all, and for the service itself.
    package let reactors: [String]?

    /// The principal of the token's requests, or `nil` if the file does not name one.
    package let principal: Principal?

    /// The rights of the token as rules.
    var rules: [AccessRule] {
      guard let reactors else { return [AccessRule(allow: right, includesAnonymous: true)] }
      return reactors.compactMap { SessionPattern("\($0)/*") }
        .map { AccessRule(allow: right, to: $0, includesAnonymous: true) }
    }
  }

  /// The first mistake of a file.
  package struct SyntaxError: Error, Equatable {
    /// The line, counted from 1.
    package let line: Int

    /// The expected form of the line.
    package let message: String
  }

  /// The tokens in the order of the file.
  package private(set) var tokens: [Token] = []

  /// The names of the reactors that the file contains.
  package var reactors: Set<String> {
    tokens.reduce(into: []) { $0.formUnion($1.reactors ?? []) }
  }

  /// Reads the text of a file.
  ///
  /// - Throws: The first line that is malformed.
  package init(_ text: String) throws(SyntaxError) {
    let lines = text.split(omittingEmptySubsequences: false) { $0.isNewline }
    for (index, line) in lines.enumerated() {
      // Split bytes, not characters: comparing a character with many combining marks takes
      // quadratic time.
      let words = line.utf8.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        .map { Substring($0) }
      guard let secret = words.first, secret.utf8.first != UInt8(ascii: "#") else { continue }
      tokens.append(try Self.token(secret, words.dropFirst(), line: index + 1))
    }
    guard tokens.count <= Self.limit else {
      throw SyntaxError(line: lines.count, message: "expected at most \(Self.limit) tokens")
    }
  }

  private static func token(
    _ secret: Substring, _ words: ArraySlice<Substring>, line: Int
  ) throws(SyntaxError) -> Token {
    func failure(_ message: String) -> SyntaxError { SyntaxError(line: line, message: message) }
    let form =
      "expected a token, one of write, \(Right.names), and perhaps reactors and as=NAME"
    guard let word = words.first,
      let right = word.utf8.elementsEqual("write".utf8) ? .manage : Right(name: word)
    else { throw failure(form) }
    var reactors: [String]?
    var name: String?
    for word in words.dropFirst() {
      if word.utf8.starts(with: "as=".utf8), name == nil {
        name = String(Substring(word.utf8.dropFirst(3)))
      } else if reactors == nil, name == nil {
        reactors = word.utf8.split(separator: UInt8(ascii: ",")).map { String(Substring($0)) }
      } else {
        throw failure(form)
      }
    }
    guard name.map({ (1...256).contains($0.utf8.count) }) ?? true else {
      throw failure("expected a name of 1 to 256 bytes after as=")
    }
    return Token(
      digest: try digest(of: secret, failure), right: right, reactors: reactors,
      principal: name.map { Principal(id: $0) })
  }

  private static func digest(
    of secret: Substring, _ failure: (String) -> SyntaxError
  ) throws(SyntaxError) -> [UInt8] {
    let prefix = "sha256:"
    guard secret.utf8.starts(with: prefix.utf8) else {
      guard secret.utf8.count >= minimumLength else {
        throw failure("expected a token of at least \(minimumLength) characters")
      }
      return SHA256.digest(of: secret.utf8)
    }
    let digits = Substring(secret.utf8.dropFirst(prefix.utf8.count))
    guard digits.utf8.count == 2 * SHA256.digestLength else {
      throw failure("expected 64 hexadecimal digits after sha256:")
    }
    var bytes: [UInt8] = []
    var rest = digits
    while !rest.isEmpty {
      guard let byte = UInt8(rest.prefix(2), radix: 16), rest.prefix(2).allSatisfy(\.isHexDigit)
      else {
        throw failure("expected 64 hexadecimal digits after sha256:")
      }
      bytes.append(byte)
      rest = rest.dropFirst(2)
    }
    return bytes
  }

  /// Returns the token with a digest.
  ///
  /// Compares all tokens, so that the time does not depend on their content.
  func token(digest: [UInt8]) -> Token? {
    var found: Token?
    for token in tokens where MessageAuthentication.areEqual(token.digest, digest) { found = token }
    return found
  }
}
