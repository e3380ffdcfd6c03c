#if canImport(CryptoKit)
  internal import CryptoKit
#else
  internal import Crypto
#endif

/// A client's name for a request: a repetition with the same key is not executed again.
public struct IdempotencyKey: Hashable, Sendable {
  /// The name chosen by the client with the id of the principal, unique within a session.
  public let name: String

  /// The SHA-256 of the request's body, in hexadecimal; a retry has the same.
  public let body: String

  /// How long the outcome of a key is retained unless it is configured.
  public static let retention = Duration.seconds(86_400)

  /// Creates a key for a request.
  public init(_ name: String, for body: [UInt8]) {
    self.init(stored: name, body: Self.hash(body))
  }

  /// Creates a key for a request of a principal, of another credential, or of none.
  ///
  /// The key belongs to the principal: another one, or a client without one, may use the same name for another
  /// request. No name that a client can choose, and no id of a principal, has a control character; the text of another
  /// credential begins with one.
  public init(_ name: String, of principal: String?, for body: [UInt8]) {
    self.init(stored: Self.owned(name, by: principal), body: Self.hash(body))
  }

  private static func owned(_ name: String, by principal: String?) -> String {
    "\u{2}\(principal ?? "")\u{2}\(name)"
  }

  /// Returns the name as releases stored it whose keys belonged to no principal, or `nil` if there is none.
  package static func formerName(of name: String) -> String? {
    guard name.utf8.first == 2, let end = name.utf8.lastIndex(of: 2) else { return nil }
    return String(name[name.utf8.index(after: end)...])
  }

  /// Returns the id of the principal to which a key belongs, or `nil` if it belongs to none.
  package static func principal(in name: String) -> Substring? {
    let text = name.utf8
    guard text.first == 2, let end = text.dropFirst().firstIndex(of: 2),
      end > text.index(after: text.startIndex)
    else { return nil }
    return name[text.index(after: text.startIndex)..<end]
  }

  /// Returns the key of a principal for one that a former release has stored with an accepted action.
  package func owned(by principal: String?) -> IdempotencyKey {
    guard let first = name.utf8.first, first != 1, first != 2 else { return self }
    return IdempotencyKey(stored: Self.owned(name, by: principal), body: body)
  }

  /// Returns the key with another text that a retry must have, unless no text is compared.
  package func comparing(_ text: [UInt8]) -> IdempotencyKey {
    body.isEmpty ? self : IdempotencyKey(stored: name, body: Self.hash(text))
  }

  private static func hash(_ body: [UInt8]) -> String {
    #if canImport(CryptoKit)
      SHA256.hash(data: body).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    #else
      SHA256.hexadecimal(of: body)
    #endif
  }

  /// Creates a key for a request whose client has sent none, from the number that its node has
  /// assigned to it.
  ///
  /// No client can send a key with this name.
  ///
  /// - Parameters:
  ///   - number: The number; a later request of the series has a higher one.
  ///   - series: The name of the node that counts, which differs with each start of its process.
  public init(numbered number: UInt64, of series: String) {
    self.init(stored: "\u{1}\(series).\(String(number, radix: 16))", body: "")
  }

  /// Parses the name of a numbered key, or returns `nil` for the name of any other key.
  public static func number(in name: String) -> (number: UInt64, series: Substring)? {
    let text = name.utf8
    guard text.first == 1, let dot = text.lastIndex(of: UInt8(ascii: ".")),
      let number = UInt64(name[text.index(after: dot)...], radix: 16)
    else { return nil }
    return (number, name[text.index(after: text.startIndex)..<dot])
  }

  /// Restores a stored key.
  public init(stored name: String, body: String) {
    self.name = name
    self.body = body
  }
}
