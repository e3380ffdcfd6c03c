/// The schema of the tables of a store in a database: 1 to 32 of `A-Z a-z 0-9 _ -`.
public struct ClusterName: Sendable, Equatable {
  /// The name.
  public let text: String

  static let standard = ClusterName(unchecked: "reactord")

  /// Checks a name, or returns `nil` for any other text.
  public init?(_ text: String) {
    guard text.utf8.allSatisfy(\.isInClusterName), (1...32).contains(text.utf8.count) else {
      return nil
    }
    self.text = text
  }

  private init(unchecked text: String) {
    self.text = text
  }
}

extension UInt8 {
  /// Whether the character is one of `A-Z a-z 0-9 _ -`.
  var isInClusterName: Bool {
    switch self {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
      true
    default: false
    }
  }
}
