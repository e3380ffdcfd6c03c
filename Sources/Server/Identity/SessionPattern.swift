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

    /// The literal text after a placeholder, or `nil` at the end.
    func literal(after index: Int) -> [UInt8]? {
      guard index + 1 < pieces.count, case .literal(let bytes) = pieces[index + 1] else {
        return nil
      }
      return bytes
    }

    /// The only text of the part, or `nil` if it stands for several.
    var onlyText: String? {
      guard !isOpen, pieces.count == 1, case .literal(let bytes)? = pieces.first else { return nil }
      return String(decoding: bytes, as: UTF8.self)
    }

    /// Whether the part ends in a placeholder.
    var endsInClaim: Bool { if case .claim? = pieces.last { true } else { false } }
  }

  /// The pattern as it was written.
  package let text: String

  private let reactor: Part
  private let session: Part

  /// Reads a pattern, or returns `nil` unless it is two nonempty parts with `/` between them, braces in pairs,
  /// `*` at the end of a part only, and text between a placeholder and what follows in the part.
  package init?(_ text: String) {
    guard text.utf8.count <= Self.sizeLimit else { return nil }
    let parts = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    guard parts.count == 2, let reactor = Self.part(parts[0]), let session = Self.part(parts[1])
    else { return nil }
    (self.text, self.reactor, self.session) = (text, reactor, session)
  }

  private static func part(_ text: Substring.UTF8View) -> Part? {
    var part = Part()
    var rest = text[...]
    guard !rest.isEmpty else { return nil }
    while let first = rest.first {
      switch first {
      case UInt8(ascii: "*"):
        guard rest.count == 1, !part.endsInClaim else { return nil }
        part.isOpen = true
        rest = rest.dropFirst()
      case UInt8(ascii: "{"):
        guard let end = rest.firstIndex(of: UInt8(ascii: "}")), !part.endsInClaim else {
          return nil
        }
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

  /// Returns the first claim of the placeholders that is missing or empty, or `nil` if none is.
  func missingClaim(of claims: Claims?) -> String? {
    for case .claim(let name) in reactor.pieces + session.pieces
    where claims?.text(at: name)?.isEmpty ?? true {
      return name
    }
    return nil
  }

  /// Returns the pattern with the values of claims.
  func resolved(with claims: Claims?) -> String {
    func text(_ part: Part) -> String {
      part.pieces.map {
        switch $0 {
        case .literal(let bytes): String(decoding: bytes, as: UTF8.self)
        case .claim(let name): claims?.text(at: name).map { SessionID.encoding($0) } ?? "{\(name)}"
        }
      }.joined() + (part.isOpen ? "*" : "")
    }
    return text(reactor) + "/" + text(session)
  }

  /// The name of the only reactor, or `nil` if there can be several.
  var onlyReactor: String? { reactor.onlyText }

  /// The id of the only session of each reactor, or `nil` if there can be several.
  var onlySession: String? { session.onlyText }

  /// Whether the pattern has every session of its reactors.
  var hasAllSessions: Bool { session.isOpen && session.pieces.isEmpty }

  /// Whether the pattern has a placeholder, so that it matches nothing for an anonymous request.
  package var needsClaims: Bool {
    (reactor.pieces + session.pieces).contains { if case .claim = $0 { true } else { false } }
  }

  /// Returns whether a session is in the set; compares bytes and allocates nothing.
  ///
  /// A placeholder stands for the text of a claim in the form of ``SessionID``. A claim that is missing, empty or
  /// not a text matches nothing, and neither does one that contains the text after the placeholder: with
  /// `{org}-*`, the claim `acme-corp` would name sessions that `acme` may use.
  package func matches(reactor: String, session: String, claims: Claims?) -> Bool {
    Self.matches(self.reactor, reactor, claims) && Self.matches(self.session, session, claims)
  }

  /// Returns whether some session of a reactor may be in the set.
  package func mayMatch(reactor: String, claims: Claims?) -> Bool {
    Self.matches(self.reactor, reactor, claims) && Self.isPossible(session, claims)
  }

  /// Returns whether the claims of a part have values that name something.
  private static func isPossible(_ part: Part, _ claims: Claims?) -> Bool {
    part.pieces.indices.allSatisfy { index in
      guard case .claim(let name) = part.pieces[index] else { return true }
      guard let claim = claims?.text(at: name), !claim.isEmpty else { return false }
      var text = SessionID.encoding(claim)
      let count = text.utf8.count
      guard let literal = part.literal(after: index) else { return true }
      text += String(decoding: literal, as: UTF8.self)
      return text.withUTF8 { unsafe isUnambiguous($0, literal, at: count) }
    }
  }

  // Compares contiguous bytes with loops, which is faster than string views and allocates nothing: every
  // request with a credential is matched.
  private static func matches(_ part: Part, _ text: String, _ claims: Claims?) -> Bool {
    var text = text
    return text.withUTF8 { text in
      var rest = unsafe text
      for index in part.pieces.indices {
        let length: Int?
        switch part.pieces[index] {
        case .literal(let bytes): length = unsafe self.length(of: bytes, in: rest)
        case .claim(let name):
          length = unsafe self.length(
            of: claims?.text(at: name), in: rest, before: part.literal(after: index))
        }
        guard let length else { return false }
        unsafe rest = UnsafeBufferPointer(rebasing: rest[length...])
      }
      return part.isOpen || rest.isEmpty
    }
  }

  /// Returns the length of a literal if a text begins with it.
  private static func length(of literal: [UInt8], in text: UnsafeBufferPointer<UInt8>) -> Int? {
    unsafe begins(text, at: 0, with: literal) ? literal.count : nil
  }

  /// Returns the length of the form of a claim if a text begins with it, and then with a literal that does not
  /// occur before.
  private static func length(
    of claim: String?, in text: UnsafeBufferPointer<UInt8>, before literal: [UInt8]?
  ) -> Int? {
    guard var claim, !claim.isEmpty,
      let length = claim.withUTF8({ unsafe SessionID.prefix(of: text, encoding: $0) })
    else { return nil }
    guard let literal else { return length }
    return unsafe isUnambiguous(text, literal, at: length) ? length : nil
  }

  /// Returns whether a literal occurs in a text first at a position.
  private static func isUnambiguous(
    _ text: UnsafeBufferPointer<UInt8>, _ literal: [UInt8], at position: Int
  ) -> Bool {
    for start in 0..<position {
      if unsafe begins(text, at: start, with: literal) { return false }
    }
    return unsafe begins(text, at: position, with: literal)
  }

  private static func begins(
    _ text: UnsafeBufferPointer<UInt8>, at start: Int, with literal: [UInt8]
  ) -> Bool {
    guard text.count - start >= literal.count else { return false }
    for index in literal.indices {
      guard unsafe text[start + index] == literal[index] else { return false }
    }
    return true
  }
}
