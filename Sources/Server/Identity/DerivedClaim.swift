internal import ReactorCore

/// A claim that the rules see and that follows from another one: an element of `auth.claims`.
package struct DerivedClaim: JSONListElement, Equatable {
  /// The name of the claim.
  package let name: String

  /// The path of the claim that it follows from.
  package let source: String

  private let expression: ClaimExpression

  /// The maximum number of derived claims.
  package static let limit = 32

  /// The size above which a text matches no expression, in bytes.
  package static let sizeLimit = 1_024

  /// Reads the value of the setting `auth.claims`: an array of objects with `claim`, `from` and `matching`.
  ///
  /// - Parameter json: The array as JSON.
  /// - Returns: The claims in the order of the array.
  /// - Throws: The first claim that is malformed, or that has the name of another one.
  package static func list(of json: [UInt8]) throws(ListSyntaxError) -> [DerivedClaim] {
    guard let values = StrictObject.array(in: json), values.count <= limit else {
      throw ListSyntaxError(
        description: "expected an array of at most \(limit) objects without repeated members")
    }
    var claims: [DerivedClaim] = []
    for (index, value) in values.enumerated() {
      let claim = try DerivedClaim(value, index)
      guard !claims.contains(where: { $0.name.utf8.elementsEqual(claim.name.utf8) }) else {
        throw ListSyntaxError(description: "claim \(index): another one has its name")
      }
      claims.append(claim)
    }
    return claims
  }

  private init(_ value: Claims.Value, _ index: Int) throws(ListSyntaxError) {
    guard case .object(let members) = value, members.names.count == 3,
      let name = members.string("claim"), !name.isEmpty, let source = members.string("from"),
      !source.isEmpty, let matching = members.string("matching")
    else {
      throw ListSyntaxError(
        description:
          #"claim \#(index): expected an object with the texts "claim", "from" and "matching""#)
    }
    do throws(ClaimExpression.SyntaxError) {
      expression = try ClaimExpression(matching)
    } catch {
      throw ListSyntaxError(
        description: "claim \(index): \(matching.debugDescription): \(error.reason)")
    }
    (self.name, self.source) = (name, source)
  }

  /// Returns the value, or `nil` if the source is no text, is too long, or does not match.
  func value(in claims: Claims) -> String? {
    guard let text = claims.text(at: source), text.utf8.count <= Self.sizeLimit else { return nil }
    return expression.match(text)
  }
}

extension Claims {
  /// Returns the claims with derived ones.
  ///
  /// A claim of the token at the path of a derived one is never used: a client may have chosen it. A derived claim
  /// without a value is `null`, so that its path does not lead into an object of the token.
  func adding(_ derived: [DerivedClaim]) -> Claims {
    guard !derived.isEmpty else { return self }
    let kept = names.filter { name in
      !derived.contains { $0.name.utf8.elementsEqual(name.utf8) }
    }
    return Claims(
      distinct: kept.compactMap { name in self[name].map { (name, $0) } }
        + derived.map { claim in (claim.name, claim.value(in: self).map { .string($0) } ?? .null) })
  }
}
