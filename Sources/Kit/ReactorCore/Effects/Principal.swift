/// The authenticated user or service that made a request.
///
/// A reactor reads it in `mutate` and in effects:
///
/// ```swift
/// guard RequestContext.current?.principal?.id == currentState.owner else { return .error(NotYours()) }
/// ```
///
/// As JSON it is an object with `id`, `claims` and, if the credential expires, `expiry`.
public struct Principal: Sendable, Hashable, Codable {
  /// The stable id of the user or service: the `sub` claim of a token, or the name that the operator
  /// has assigned to a static token.
  public var id: String { contents.id }

  /// The claims of the token; empty for a static token.
  public var claims: Claims { contents.claims }

  /// The time at which the credential expires, in seconds since 1970, or `nil` if it does not.
  public var expiry: Int64? { contents.expiry }

  /// A reference that all copies share: a request's context is copied often, and most requests are
  /// anonymous.
  private let contents: PrincipalContents

  /// Creates a principal; a host or a test calls this.
  public init(id: String, claims: Claims = Claims(), expiry: Int64? = nil) {
    contents = PrincipalContents(id: id, claims: claims, expiry: expiry)
  }

  /// Returns whether the claim `role` or `roles` is this string, or an array that contains it.
  public func has(role: String) -> Bool {
    claims.contains(role, in: "role") || claims.contains(role, in: "roles")
  }
}

/// The values of a principal.
private final class PrincipalContents: Sendable {
  let id: String
  let claims: Claims
  let expiry: Int64?

  init(id: String, claims: Claims, expiry: Int64?) {
    self.id = id
    self.claims = claims
    self.expiry = expiry
  }
}

extension Principal {
  private enum CodingKeys: CodingKey { case id, claims, expiry }

  /// Decodes a principal.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      id: try container.decode(String.self, forKey: .id),
      claims: try container.decode(Claims.self, forKey: .claims),
      expiry: try container.decodeIfPresent(Int64.self, forKey: .expiry))
  }

  /// Encodes the principal.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(id, forKey: .id)
    try container.encode(claims, forKey: .claims)
    try container.encodeIfPresent(expiry, forKey: .expiry)
  }

  /// Compares all values.
  public static func == (left: Principal, right: Principal) -> Bool {
    if left.contents === right.contents { return true }
    return left.expiry == right.expiry && left.id.utf8.elementsEqual(right.id.utf8)
      && left.claims == right.claims
  }

  /// Hashes the id and the expiry; the claims of one id rarely differ.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(utf8: id)
    hasher.combine(expiry)
  }
}

/// The claims of a token: the members of a JSON object.
///
/// Lookups and comparisons compare names and strings as UTF-8 bytes.
public struct Claims: Sendable, Hashable {
  /// The value of a claim.
  public indirect enum Value: Sendable, Hashable {
    /// JSON's `null`.
    case null
    /// A Boolean value.
    case boolean(Bool)
    /// A number.
    case number(Double)
    /// A string.
    case string(String)
    /// An array.
    case array([Value])
    /// An object.
    case object(Claims)
  }

  private struct Member: Sendable, Hashable {
    let name: String
    let value: Value

    static func == (left: Member, right: Member) -> Bool {
      left.name.utf8.elementsEqual(right.name.utf8) && left.value == right.value
    }

    func hash(into hasher: inout Hasher) {
      hasher.combine(utf8: name)
      hasher.combine(value)
    }
  }

  private var members: [Member] = []

  /// Creates claims with these members; a repeated name replaces the earlier member.
  public init(_ members: [(name: String, value: Value)] = []) {
    for (name, value) in members {
      self.members.removeAll { $0.name.utf8.elementsEqual(name.utf8) }
      self.members.append(Member(name: name, value: value))
    }
  }

  /// Creates claims of members whose names are unique.
  package init(distinct members: [(name: String, value: Value)]) {
    self.members = members.map { Member(name: $0.name, value: $0.value) }
  }

  /// The names of the claims, in the order of the token.
  public var names: [String] { members.map(\.name) }

  /// The value of a claim, or `nil` if the token does not have it.
  ///
  /// Names are compared as UTF-8 bytes. `String` comparison normalizes its operands, and for a
  /// hostile string the cost grows with the square of the length.
  public subscript(name: String) -> Value? {
    members.first {
      // The lengths of native strings are stored.
      $0.name.utf8.count == name.utf8.count && $0.name.utf8.elementsEqual(name.utf8)
    }?.value
  }

  /// Returns the string of a claim, or `nil` if the claim is missing or not a string.
  public func string(_ name: String) -> String? {
    if case .string(let text) = self[name] { text } else { nil }
  }

  /// Returns the number of a claim, or `nil` if the claim is missing or not a number.
  public func number(_ name: String) -> Double? {
    if case .number(let number) = self[name] { number } else { nil }
  }

  /// Returns the strings of a claim that is a string or an array.
  ///
  /// Elements of other types are skipped.
  public func strings(_ name: String) -> [String] {
    switch self[name] {
    case .string(let text): [text]
    case .array(let values):
      values.compactMap { if case .string(let text) = $0 { text } else { nil } }
    default: []
    }
  }

  /// Returns whether a claim is this string, or an array that contains it.
  public func contains(_ text: String, in name: String) -> Bool {
    switch self[name] {
    case .string(let value): value.utf8.elementsEqual(text.utf8)
    case .array(let values):
      values.contains {
        if case .string(let value) = $0 { value.utf8.elementsEqual(text.utf8) } else { false }
      }
    default: false
    }
  }
}

extension Claims.Value {
  /// Compares all values; strings as UTF-8 bytes.
  public static func == (left: Claims.Value, right: Claims.Value) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.boolean(let left), .boolean(let right)): left == right
    case (.number(let left), .number(let right)): left == right
    case (.string(let left), .string(let right)): left.utf8.elementsEqual(right.utf8)
    case (.array(let left), .array(let right)): left == right
    case (.object(let left), .object(let right)): left == right
    default: false
    }
  }

  /// Hashes the value; strings as UTF-8 bytes.
  public func hash(into hasher: inout Hasher) {
    switch self {
    case .null: hasher.combine(0)
    case .boolean(let value): hasher.combine(value)
    case .number(let number): hasher.combine(number)
    case .string(let text): hasher.combine(utf8: text)
    case .array(let values): hasher.combine(values)
    case .object(let claims): hasher.combine(claims)
    }
  }
}

extension Hasher {
  /// Combines the bytes of a text, without the normalization of `String`.
  fileprivate mutating func combine(utf8 text: String) {
    var text = text
    text.withUTF8 { unsafe combine(bytes: UnsafeRawBufferPointer($0)) }
    combine(text.utf8.count)
  }
}
