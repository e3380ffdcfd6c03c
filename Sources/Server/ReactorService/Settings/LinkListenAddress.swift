internal import ReactorLinks

/// The address of a node for the other nodes of its cluster: `HOST:PORT`; empty for none.
public struct LinkListenAddress: Sendable, Equatable {
  /// The address as text; empty for none.
  public let text: String

  /// No address.
  static let none = LinkListenAddress(unchecked: "")

  /// Checks an address, or returns `nil` for any other text.
  public init?(_ text: String) {
    guard text.isEmpty || LinkAddress(text) != nil else { return nil }
    self.text = text
  }

  private init(unchecked text: String) { self.text = text }

  /// The parts of the address, or `nil` for none.
  var address: LinkAddress? { LinkAddress(text) }
}
