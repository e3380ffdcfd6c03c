/// A right to a session; each includes those before it.
package enum Right: Int, CaseIterable, Comparable, Sendable {
  /// Read states, logs, lists and streams.
  case read

  /// Send actions.
  case act

  /// Create, fork and end sessions; cancel effects.
  case manage

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
    case .act: "act"
    case .manage: "manage"
    case .admin: "admin"
    }
  }

  /// Orders a right before the rights that include it.
  package static func < (left: Right, right: Right) -> Bool { left.rawValue < right.rawValue }
}
