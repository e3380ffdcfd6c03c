public import ReactorCore

/// A set of sessions: `reactor/session`, where each part is literal text with placeholders for
/// claims, and may end in `*`.
///
/// `chat/*` is every session of `chat`; `cart/{sub}` is the session named like the principal;
/// `team/{org}-*` is every session whose id begins with the claim `org` and a hyphen.
public struct SessionPattern: Sendable, Equatable {
  /// The longest pattern, in bytes.
  public static let sizeLimit = 512

  private enum Piece: Sendable, Equatable {
    case literal([UInt8])
    case claim(String)
  }

  private struct Part: Sendable, Equatable {
    var pieces: [Piece] = []
    /// Whether any text may follow.
    var isOpen = false
  }

  private let reactor: Part
  private let session: Part

  /// Reads a pattern; `nil` unless it is two nonempty parts with `/` between them, braces in pairs,
  /// and `*` at the end of a part only.
  public init?(_ text: String) {
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
  public var needsClaims: Bool {
    (reactor.pieces + session.pieces).contains { if case .claim = $0 { true } else { false } }
  }

  /// Returns whether a session is in the set; compares bytes and allocates nothing.
  ///
  /// A placeholder stands for the text of a claim. A claim that is missing, empty, not a text, or
  /// contains `/` or `*` matches nothing, so that no token can widen a pattern.
  public func matches(reactor: String, session: String, claims: Claims?) -> Bool {
    Self.matches(self.reactor, reactor, claims) && Self.matches(self.session, session, claims)
  }

  /// Returns whether some session of a reactor may be in the set.
  public func mayMatch(reactor: String, claims: Claims?) -> Bool {
    Self.matches(self.reactor, reactor, claims)
  }

  private static func matches(_ part: Part, _ text: String, _ claims: Claims?) -> Bool {
    var rest = text.utf8[...]
    for piece in part.pieces {
      switch piece {
      case .literal(let bytes):
        guard rest.starts(with: bytes) else { return false }
        rest = rest.dropFirst(bytes.count)
      case .claim(let name):
        guard let value = claims?.string(name), !value.isEmpty,
          !value.utf8.contains(where: { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "*") }),
          rest.starts(with: value.utf8)
        else { return false }
        rest = rest.dropFirst(value.utf8.count)
      }
    }
    return part.isOpen || rest.isEmpty
  }
}
