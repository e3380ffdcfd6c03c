/// How clients present a screen: any text; the values that are declared here have a documented
/// meaning.
public struct Presentation: RawRepresentable, Codable, Hashable, Sendable {
  /// The text.
  public let rawValue: String

  /// Creates a presentation that the clients of a flow agree on.
  public init(rawValue: String) {
    self.rawValue = rawValue
  }

  /// The first screen of a stack.
  public static let root = Presentation(rawValue: "root")

  /// On top of the previous screen, with a way back.
  public static let push = Presentation(rawValue: "push")

  /// Above the previous screen, which remains visible.
  public static let modal = Presentation(rawValue: "modal")

  /// Above the previous screen, which it hides.
  public static let cover = Presentation(rawValue: "cover")
}
