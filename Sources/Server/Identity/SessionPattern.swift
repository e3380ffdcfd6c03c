package import ReactorCore

/// A set of sessions: `reactor/session`, where each part is literal text with placeholders for
/// claims, and may end in `*`.
///
/// `chat/*` is every session of `chat`; `cart/{sub}` is the session named like the principal;
/// `team/{org}-*` is every session whose id begins with the claim `org` and a hyphen.
package struct SessionPattern: Sendable, Equatable {
  /// The maximum length of a pattern in bytes.
  package static let sizeLimit = 512

  private enum Piece: Sendable, Equatable {
    case literal([UInt8])
    case claim(String)
  }

  private struct Part: Sendable, Equatable {
    var pieces: [Piece] = []
    /// Whether the part ends in `*`: any text can follow.
    var isOpen = false
  }

  private let reactor: Part
  private let session: Part

  /// Reads a pattern, or returns `nil` unless it is two nonempty parts with `/` between them, braces in pairs,
  /// and `*` at the end of a part only.
  package init?(_ text: String) {
    guard text.utf8.count <= Self.sizeLimit else { return nil }
    let parts = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    guard parts.count == 2, let reactor = Self.part(parts[0]), let session = Self.part(parts[1])
    else { return nil }
    (self.reactor, self.session) = (reactor, session)
  }

  private static func part(_ text: Substring.UTF8View) -> Part? {
    var part = Part()
    var rest = text[...]
    guard !rest.isEmpty else { return nil }
    while let first = rest.first {
      switch first {
      case UInt8(ascii: "*"):
        guard rest.count == 1 else { return nil }
        part.isOpen = true
        rest = rest.dropFirst()
      case UInt8(ascii: "{"):
        guard let end = rest.firstIndex(of: UInt8(ascii: "}")) else { return nil }
        let name = rest[rest.index(after: rest.startIndex)..<end]
        guard !name.isEmpty, !name.contains(UInt8(ascii: "{")) else { return nil }
        part.pieces.append(.claim(String(decoding: name, as: UTF8.self)))
        rest = rest[rest.index(after: end)...]
      case UInt8(ascii: "}"): return nil
      default:
        let end = rest.firstIndex { "*{}".utf8.contains($0) } ?? rest.endIndex
        part.pieces.append(.literal(Array(rest[..<end])))
        rest = rest[end...]
      }
    }
    return part
  }

  /// Whether the pattern has a placeholder, so that it matches nothing for an anonymous request.
  package var needsClaims: Bool {
    (reactor.pieces + session.pieces).contains { if case .claim = $0 { true } else { false } }
  }

  /// Returns whether a session is in the set; compares bytes and allocates nothing.
  ///
  /// A placeholder stands for the text of a claim. A claim that is missing, empty, not a text, or
  /// contains `/` or `*` matches nothing, so that no token can widen a pattern.
  package func matches(reactor: String, session: String, claims: Claims?) -> Bool {
    Self.matches(self.reactor, reactor, claims) && Self.matches(self.session, session, claims)
  }

  /// Returns whether some session of a reactor may be in the set.
  package func mayMatch(reactor: String, claims: Claims?) -> Bool {
    Self.matches(self.reactor, reactor, claims)
  }

  // Compares contiguous bytes, which is faster than string views: every request with a credential
  // is matched.
  private static func matches(_ part: Part, _ text: String, _ claims: Claims?) -> Bool {
    var text = text
    return text.withUTF8 { text in
      var rest = unsafe text
      for piece in part.pieces {
        let isPrefix =
          switch piece {
          case .literal(let bytes):
            unsafe bytes.withUnsafeBufferPointer { unsafe remove($0, &rest) }
          case .claim(let name): unsafe remove(claims?.string(name), &rest)
          }
        guard isPrefix else { return false }
      }
      return part.isOpen || rest.isEmpty
    }
  }

  /// Removes the text of a claim from the start of a text.
  ///
  /// Returns `false` if the claim is not allowed in a pattern, or the text does not begin with it.
  private static func remove(_ claim: String?, _ text: inout UnsafeBufferPointer<UInt8>) -> Bool {
    guard var claim else { return false }
    return claim.withUTF8 { claim in
      for index in claim.indices {
        let byte = unsafe claim[index]
        guard byte != UInt8(ascii: "/"), byte != UInt8(ascii: "*") else { return false }
      }
      return unsafe !claim.isEmpty && remove(claim, &text)
    }
  }

  /// Removes a prefix from the start of a text.
  ///
  /// Returns `false` if the text does not begin with it.
  private static func remove(
    _ prefix: UnsafeBufferPointer<UInt8>, _ text: inout UnsafeBufferPointer<UInt8>
  ) -> Bool {
    guard prefix.count <= text.count else { return false }
    for index in prefix.indices {
      guard unsafe prefix[index] == text[index] else { return false }
    }
    unsafe text = UnsafeBufferPointer(rebasing: text[prefix.count...])
    return true
  }
}
