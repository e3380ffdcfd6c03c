internal import ReactorCore

/// The parts of a JSON Web Token in compact form (RFC 7515, 7.1), none of them verified.
struct SignedText {
  let header: Claims
  let signature: [UInt8]

  /// The bytes that the signature is about.
  let message: [UInt8]

  private let payload: ArraySlice<UInt8>

  /// The claims, read from the text with each call, or `nil` if they are no object.
  var claims: Claims? { Self.object(payload) }

  /// Reads a token.
  init(_ token: [UInt8]) throws(TokenVerifier.Failure) {
    guard token.count <= TokenVerifier.sizeLimit else { throw .tooLong }
    // A third dot is not in the alphabet of the signature.
    guard let first = token.firstIndex(of: UInt8(ascii: ".")),
      let second = token[(first + 1)...].firstIndex(of: UInt8(ascii: ".")),
      let header = Self.object(token[..<first]),
      let signature = Base64URL.decode(token.span.extracting((second + 1)...))
    else { throw .malformed }
    (self.header, self.signature) = (header, signature)
    payload = token[(first + 1)..<second]
    message = Array(token[..<second])
  }

  private static func object(_ part: ArraySlice<UInt8>) -> Claims? {
    Base64URL.decode(part.span).flatMap { StrictObject($0)?.claims }
  }
}

extension Claims {
  /// Returns the claims with the qualifier of their issuer before `sub`; these for an empty qualifier.
  func qualified(by qualifier: String) -> Claims {
    guard !qualifier.isEmpty else { return self }
    return replacingSubject { "\(qualifier)|\($0)" }
  }

  /// Returns the claims of the token whose claims were qualified.
  func unqualified(from qualifier: String) -> Claims {
    guard !qualifier.isEmpty else { return self }
    return replacingSubject { String(Substring($0.utf8.dropFirst(qualifier.utf8.count + 1))) }
  }

  private func replacingSubject(_ change: (String) -> String) -> Claims {
    Claims(
      distinct: names.compactMap { name in
        guard case .string(let subject)? = self[name], name.utf8.elementsEqual("sub".utf8) else {
          return self[name].map { (name, $0) }
        }
        return (name, .string(change(subject)))
      })
  }
}
