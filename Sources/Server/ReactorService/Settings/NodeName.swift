/// The name of a node in a cluster: 1 to 64 of `A-Z a-z 0-9 _ . -`; empty for a name derived from the
/// machine and the address.
public struct NodeName: Sendable, Equatable {
  /// The name; empty for a derived one.
  public let text: String

  /// A derived name.
  static let automatic = NodeName(unchecked: "")

  /// Checks a name, or returns `nil` for any other text.
  public init?(_ text: String) {
    let isName = text.utf8.allSatisfy { $0.isInClusterName || $0 == UInt8(ascii: ".") }
    guard isName, text.utf8.count <= 64 else { return nil }
    self.text = text
  }

  private init(unchecked text: String) {
    self.text = text
  }
}
