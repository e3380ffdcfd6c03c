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
  init(_ token: some Collection<UInt8>) throws(TokenVerifier.Failure) {
    guard token.count <= TokenVerifier.sizeLimit else { throw .tooLong }
    let token = Array(token)
    let parts = token.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count == 3, let header = Self.object(parts[0]),
      let signature = Base64URL.decode(parts[2])
    else { throw .malformed }
    (self.header, self.signature, payload) = (header, signature, parts[1])
    message = Array(token[..<parts[1].endIndex])
  }

  private static func object(_ part: ArraySlice<UInt8>) -> Claims? {
    Base64URL.decode(part).flatMap { StrictObject($0)?.claims }
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
