internal import ReactorCoding
package import ReactorCore

/// A statement that credentials are not accepted any more, before they expire.
///
/// A credential is revoked if it has all properties that the statement names.
package struct Revocation: Sendable, Codable, Equatable {
  /// The id by which the statement can be removed.
  package var id: String

  /// `jti` of the token, or `nil` for any.
  package var token: String?

  /// `sub` of the token or the name of the static token, or `nil` for any.
  package var subject: String?

  /// `iss` of the token, or `nil` for any.
  package var issuer: String?

  /// The time in seconds since 1970 from which on tokens are accepted again: the statement is about tokens with an
  /// earlier `iat` and about those without `iat`, or about all tokens without this time.
  package var issuedBefore: Int64?

  /// The time at which the statement is dropped, in seconds since 1970, or `nil` for a permanent one.
  package var until: Int64?

  /// The name of the statements in the store, which no global of a reactor can have.
  package static let storedName = "reactord:revocations"

  /// The maximum number of statements in the store, and in a file.
  package static let limit = 10_000

  /// The maximum length of a text in bytes.
  package static let textLimit = 256

  /// The reason why a statement is rejected.
  package struct SyntaxError: Error, Equatable {
    /// The member that is wrong as a JSON Pointer; empty for the statement as a whole.
    package let pointer: String

    /// The expectation as a sentence.
    package let reason: String
  }

  /// Reads a statement: an object with `jti`, `sub` or `issuer`, and optionally `issuedBefore` and `until`.
  ///
  /// - Parameters:
  ///   - json: The object.
  ///   - id: The id of the statement.
  /// - Throws: The first member that is malformed.
  package init(_ json: [UInt8], id: String) throws(SyntaxError) {
    guard let object = StrictObject(json)?.claims else {
      throw SyntaxError(
        pointer: "",
        reason: "Expected an object such as {\"sub\":\"ada\"} without repeated members.")
    }
    try self.init(object, id: id)
  }

  private init(_ object: Claims, id: String) throws(SyntaxError) {
    self.id = id
    let names = ["jti", "sub", "issuer", "issuedBefore", "until"]
    if let unknown = object.names.first(where: { !names.contains($0) }) {
      throw SyntaxError(
        pointer: "",
        reason: "\(unknown.debugDescription) is unknown. Use \(names.joined(separator: ", ")).")
    }
    token = try Self.text("jti", of: object)
    subject = try Self.text("sub", of: object)
    issuer = try Self.text("issuer", of: object)
    issuedBefore = try Self.time("issuedBefore", of: object)
    until = try Self.time("until", of: object)
    guard token != nil || subject != nil || issuer != nil else {
      throw SyntaxError(pointer: "", reason: "Name the tokens by jti, sub or issuer.")
    }
  }

  private static func text(_ name: String, of object: Claims) throws(SyntaxError) -> String? {
    guard let value = object[name] else { return nil }
    guard case .string(let text) = value, (1...textLimit).contains(text.utf8.count) else {
      throw SyntaxError(
        pointer: "/\(name)", reason: "Expected a text of 1 to \(textLimit) bytes.")
    }
    return text
  }

  private static func time(_ name: String, of object: Claims) throws(SyntaxError) -> Int64? {
    guard let value = object[name] else { return nil }
    guard case .string(let text) = value, let time = WallTime(text) else {
      throw SyntaxError(
        pointer: "/\(name)", reason: "Expected a time such as 2026-11-27T21:00:00Z.")
    }
    return time.milliseconds / 1000
  }

  /// Reads the file `auth.revoked`: an array of statements.
  package static func list(of json: [UInt8]) throws(SyntaxError) -> [Revocation] {
    guard let values = StrictObject.array(in: json) else {
      throw SyntaxError(pointer: "", reason: "Expected an array of objects.")
    }
    guard values.count <= limit else {
      throw SyntaxError(pointer: "", reason: "Expected at most \(limit) statements.")
    }
    var statements: [Revocation] = []
    for (index, value) in values.enumerated() {
      guard case .object(let object) = value else {
        throw SyntaxError(pointer: "/\(index)", reason: "Expected an object.")
      }
      do throws(SyntaxError) {
        statements.append(try Revocation(object, id: "\(index)"))
      } catch {
        throw SyntaxError(pointer: "/\(index)" + error.pointer, reason: error.reason)
      }
    }
    return statements
  }

  /// Returns whether the statement is about a principal's credential.
  func applies(to principal: Principal, at now: Int64) -> Bool {
    if let until, now >= until { return false }
    let claims = principal.claims
    if let token, claims.string("jti").map({ $0.utf8.elementsEqual(token.utf8) }) != true {
      return false
    }
    if let subject, !principal.id.utf8.elementsEqual(subject.utf8) { return false }
    if let issuer, claims.string("iss").map({ $0.utf8.elementsEqual(issuer.utf8) }) != true {
      return false
    }
    guard let issuedBefore, let issued = claims.number("iat") else { return true }
    return issued < Double(issuedBefore)
  }
}

extension WallTime {
  /// Creates the time of a number of seconds since 1970, which may be damaged: at most that of the year 9999.
  package init(seconds: Int64) {
    self.init(milliseconds: max(0, min(seconds, Self.last.milliseconds / 1000)) * 1000)
  }
}

/// Revocations, found by a property of the credential.
///
/// Texts are compared as bytes.
struct Revocations: Sendable {
  private var byToken: [[UInt8]: [Revocation]] = [:]
  private var bySubject: [[UInt8]: [Revocation]] = [:]
  private var byIssuer: [[UInt8]: [Revocation]] = [:]

  init(_ statements: [Revocation] = []) {
    for statement in statements {
      if let token = statement.token {
        byToken[Array(token.utf8), default: []].append(statement)
      } else if let subject = statement.subject {
        bySubject[Array(subject.utf8), default: []].append(statement)
      } else if let issuer = statement.issuer {
        byIssuer[Array(issuer.utf8), default: []].append(statement)
      }
    }
  }

  /// Returns whether the credential of a principal is revoked; one without a principal is not.
  func revoke(_ principal: Principal?, at now: Int64) -> Bool {
    guard let principal else { return false }
    func contains(_ table: [[UInt8]: [Revocation]], _ text: @autoclosure () -> String?) -> Bool {
      guard !table.isEmpty, let text = text() else { return false }
      return table[Array(text.utf8)]?.contains { $0.applies(to: principal, at: now) } == true
    }
    return contains(byToken, principal.claims.string("jti")) || contains(bySubject, principal.id)
      || contains(byIssuer, principal.claims.string("iss"))
  }
}
