/// A right to a session or to the service; each includes others.
///
/// ```
/// read ◀── signal ◀── act ◀── manage ◀─┬─ erase ◀──┬─ admin
///   ▲                                  │           │
///   └── inspect ◀──────────────────────┼───────────┘
/// ```
package enum Right: Int, CaseIterable, Sendable {
  /// Read states, logs, lists and streams.
  case read

  /// Publish signals.
  case signal

  /// Send actions.
  case act

  /// Create, fork and end sessions; cancel effects.
  case manage

  /// Read what a projected reactor shows to no client: its log, its effects, and copies of its sessions.
  case inspect

  /// Remove all that is stored about a session.
  case erase

  /// Globals, metrics and everything else.
  case admin

  /// Reads the name in a claim or a setting.
  package init?(name: some StringProtocol) {
    guard let right = Self.allCases.first(where: { $0.name.utf8.elementsEqual(name.utf8) }) else {
      return nil
    }
    self = right
  }

  /// The name in claims, settings and problems.
  package var name: String {
    switch self {
    case .read: "read"
    case .signal: "signal"
    case .act: "act"
    case .manage: "manage"
    case .inspect: "inspect"
    case .erase: "erase"
    case .admin: "admin"
    }
  }

  /// All names, as a list in a sentence.
  package static var names: String {
    allCases.dropLast().map(\.name).joined(separator: ", ") + " or " + Self.admin.name
  }

  /// Returns whether a principal with this right has another one as well.
  package func includes(_ other: Right) -> Bool { included & other.bit != 0 }

  /// Returns whether a denial of this right denies another one: each that includes it, and of `act` also `signal`.
  func denies(_ other: Right) -> Bool {
    other.includes(self) || self == .act && other == .signal
  }

  private var bit: UInt8 { 1 << UInt8(truncatingIfNeeded: rawValue) }

  /// The rights that this one includes, as bits.
  private var included: UInt8 {
    switch self {
    case .read: bit
    case .signal: bit | Right.read.bit
    case .act: bit | Right.signal.included
    case .manage: bit | Right.act.included
    case .inspect: bit | Right.read.bit
    case .erase: bit | Right.manage.included
    case .admin: .max
    }
  }
}
