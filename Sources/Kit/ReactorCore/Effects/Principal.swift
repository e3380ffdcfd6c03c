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
    return left.expiry == right.expiry && left.id.hasSameBytes(as: right.id)
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
  public enum Value: Sendable, Hashable {
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

  private var members: [(name: String, value: Value)] = []

  /// Creates claims with these members; a repeated name replaces the earlier member.
  public init(_ members: [(name: String, value: Value)] = []) {
    for (name, value) in members {
      self.members.removeAll { $0.name.hasSameBytes(as: name) }
      self.members.append((name, value))
    }
  }

  /// Creates claims of members whose names are unique.
  package init(distinct members: [(name: String, value: Value)]) {
    self.members = members
  }

  /// The names of the claims, in the order of the token.
  public var names: [String] { members.map(\.name) }

  /// The value of a claim, or `nil` if the token does not have it.
  public subscript(name: String) -> Value? {
    // By index, so that the other values are not copied.
    for index in members.indices where members[index].name.hasSameBytes(as: name) {
      return members[index].value
    }
    return nil
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
    case .string(let value): value.hasSameBytes(as: text)
    case .array(let values):
      values.contains {
        if case .string(let value) = $0 { value.hasSameBytes(as: text) } else { false }
      }
    default: false
    }
  }
}

extension Claims {
  /// Compares names and values in their order.
  public static func == (left: Claims, right: Claims) -> Bool {
    left.members.elementsEqual(right.members) {
      $0.name.hasSameBytes(as: $1.name) && $0.value == $1.value
    }
  }

  /// Hashes names and values in their order.
  public func hash(into hasher: inout Hasher) {
    for (name, value) in members {
      hasher.combine(utf8: name)
      hasher.combine(value)
    }
    hasher.combine(members.count)
  }
}

extension Claims.Value {
  /// Compares all values; strings as UTF-8 bytes.
  public static func == (left: Claims.Value, right: Claims.Value) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.boolean(let left), .boolean(let right)): left == right
    case (.number(let left), .number(let right)): left == right
    case (.string(let left), .string(let right)): left.hasSameBytes(as: right)
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

extension String {
  /// Returns whether both texts have the same UTF-8 bytes.
  ///
  /// `==` normalizes its operands, and for a hostile text its cost grows with the square of the length.
  package func hasSameBytes(as other: String) -> Bool {
    // Most texts differ in their lengths, which are stored, and `==` is fast for short ones.
    guard utf8.count == other.utf8.count, utf8.count > 15 || self == other else { return false }
    let isEqual = unsafe utf8.withContiguousStorageIfAvailable { own in
      unsafe other.utf8.withContiguousStorageIfAvailable { unsafe own.elementsEqual($0) }
    }
    // A text that Foundation has bridged on an Apple platform has no contiguous storage.
    return (isEqual ?? nil) ?? utf8.elementsEqual(other.utf8)
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
