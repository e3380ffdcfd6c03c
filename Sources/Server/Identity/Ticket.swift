internal import Crypto
internal import ReactorCoding
internal import ReactorCore

/// An encrypted statement that a credential was presented, for clients that cannot send header fields.
///
/// The text is Base64 (URL) of ``SealedBytes`` of JSON. It carries the claims, so that every node that shares the
/// key verifies it without a lookup; they are encrypted, since URLs are logged.
struct Ticket {
  /// The maximum length of the text in bytes: it must fit into a request line together with the
  /// rest of the URL.
  static let sizeLimit = 6144

  let access: Authentication
  let address: String?
  let expiry: Int64
  let nonce: [UInt8]

  /// Creates a ticket, or returns `nil` for an anonymous access.
  init?(access: Authentication, address: String?, expiry: Int64) {
    guard access.isAuthenticated else { return nil }
    self.access = access
    self.address = address
    self.expiry = expiry
    nonce = RandomBytes.make(12)
  }

  /// Returns the text, or `nil` if the text would be longer than ``sizeLimit`` or cannot be encrypted.
  func sealed(with key: [UInt8]) -> String? {
    var members: [JSONValue.Member] = [
      .init("n", Self.text(nonce)), .init("x", .number(JSONNumber(expiry))),
    ]
    switch access.source {
    case .anonymous, .revoked: return nil
    case .opaque(let introspection): members.append(.init("o", .string(introspection)))
    case .staticToken(let digest): members.append(.init("t", Self.text(digest)))
    case .key(let key):
      members.append(.init("k", Self.text(key.thumbprint)))
      members.append(.init("g", .string(key.algorithm.rawValue)))
      if !key.qualifier.isEmpty { members.append(.init("q", .string(key.qualifier))) }
    }
    if let principal = access.principal {
      members.append(.init("s", .string(principal.id)))
      members.append(.init("c", principal.claims.json))
      if let expiry = principal.expiry { members.append(.init("e", .number(JSONNumber(expiry)))) }
    }
    if let address { members.append(.init("a", .string(address))) }
    let content = JSONValue.object(members).bytes
    guard let sealed = SealedBytes.seal(content, with: key, for: Self.purpose) else { return nil }
    let text = Base64URL.encode(sealed)
    return text.count <= Self.sizeLimit ? String(decoding: text, as: UTF8.self) : nil
  }

  private static let purpose = "ticket"

  private static func text(_ bytes: [UInt8]) -> JSONValue {
    .string(String(decoding: Base64URL.encode(bytes), as: UTF8.self))
  }

  /// Reads a text, or returns `nil` if it was not encrypted with the key.
  init?(_ text: [UInt8], key: [UInt8]) {
    guard text.count <= Self.sizeLimit else { return nil }
    guard let sealed = Base64URL.decode(text.span),
      let content = SealedBytes.open(sealed, with: key, for: Self.purpose),
      // The claims are a member.
      let members = StrictObject(content, depthLimit: StrictObject.depthLimit + 1)?.claims,
      let nonce = members.string("n").flatMap({ Base64URL.decode($0.utf8.span) }),
      let expiry = members.number("x").flatMap({ Int64(exactly: $0) })
    else { return nil }
    let source: Authentication.Source
    if let digest = members.string("t").flatMap({ Base64URL.decode($0.utf8.span) }) {
      source = .staticToken(digest)
    } else if let thumbprint = members.string("k").flatMap({ Base64URL.decode($0.utf8.span) }),
      let algorithm = members.string("g").flatMap({ SignatureAlgorithm(name: $0) })
    {
      source = .key(
        SigningKey(
          thumbprint: thumbprint, algorithm: algorithm, qualifier: members.string("q") ?? ""))
    } else if let introspection = members.string("o") {
      source = .opaque(introspection)
    } else {
      return nil
    }
    var principal: Principal?
    if let id = members.string("s"), case .object(let claims)? = members["c"] {
      principal = Principal(
        id: id, claims: claims, expiry: members.number("e").flatMap { Int64(exactly: $0) })
    }
    // A generation that no configuration has, so that the grants are derived before the access is
    // used.
    access = Authentication(source, principal, Grants(rules: [], principal: nil), generation: .max)
    address = members.string("a")
    self.expiry = expiry
    self.nonce = nonce
  }
}

/// The tickets that were used on this node and have not expired yet.
struct UsedTickets {
  /// The maximum number of tickets.
  ///
  /// Beyond it, further tickets are rejected until some have expired.
  static let limit = 100_000

  /// The owner of tickets: the principal, or the static token or key of a credential without a
  /// principal.
  struct Owner: Hashable {
    private let principal: [UInt8]?
    private let credential: [UInt8]

    init(_ access: Authentication) {
      principal = access.principal.map { Array($0.id.utf8) }
      credential =
        switch access.source {
        case _ where principal != nil, .anonymous, .opaque, .revoked: []
        case .staticToken(let digest): digest
        case .key(let key): key.thumbprint
        }
    }
  }

  private var used: [[UInt8]: (expiry: Int64, owner: Owner)] = [:]
  private var counts: [Owner: Int] = [:]
  private var nextSweep: Int64 = 0

  /// Marks a ticket as used.
  ///
  /// - Returns: `false` if the ticket was used before, or if its owner has used as many tickets as
  ///   the table has free places. The second rule prevents one owner from filling the table.
  mutating func use(
    _ nonce: [UInt8], of owner: Owner, until expiry: Int64, at now: Int64
  ) -> Bool {
    if now >= nextSweep { sweep(at: now) }
    guard used[nonce] == nil, counts[owner, default: 0] < Self.limit - used.count else {
      return false
    }
    used[nonce] = (expiry, owner)
    counts[owner, default: 0] += 1
    return true
  }

  /// Drops the tickets that have expired.
  private mutating func sweep(at now: Int64) {
    used = used.filter { $0.value.expiry > now }
    counts = used.values.reduce(into: [:]) { $0[$1.owner, default: 0] += 1 }
    nextSweep = now + 10
  }
}
