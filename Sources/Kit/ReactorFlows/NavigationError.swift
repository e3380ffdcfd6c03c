public import ReactorCore

/// The rejection of a navigation, which is the response to the action.
public struct NavigationError: ActionError, Equatable {
  /// `firstStays`, `cannotLeave`, `tooManyScreens`, `noSuchPlace`, `gone` or `otherScreen`.
  public let code: String

  /// 404, 409 or 422.
  public let status: Int

  /// A short sentence for people.
  public let title: String

  /// The cause and a remedy.
  public let detail: String?

  /// A dismissal of the first screen.
  public static let firstStays = NavigationError(
    code: "firstStays", status: 409, title: "The first screen stays",
    detail: "Dismiss a screen above the first, or end the session.")

  /// A dismissal that ``CoordinatorProtocol/allowsDismissal(of:)`` does not allow.
  public static let cannotLeave = NavigationError(
    code: "cannotLeave", status: 409, title: "The screen cannot be left now",
    detail: "Complete or cancel its work first.")

  /// A presentation beyond ``Stack/limit``.
  public static let tooManyScreens = NavigationError(
    code: "tooManyScreens", status: 409, title: "Too many screens",
    detail: "At most \(stackLimit) screens are presented at a time. Dismiss one first.")

  /// A path that does not lead to a screen.
  public static let noSuchPlace = NavigationError(
    code: "noSuchPlace", status: 404, title: "No such place",
    detail: """
      A path is "/" followed by the name of a linked screen and its percent-encoded text, \
      and so on: at most \(FlowPath.byteLimit) bytes and \(FlowPath.partLimit) parts.
      """)

  /// An action for a screen that is not presented.
  @usableFromInline
  static func gone(_ id: String) -> NavigationError {
    // Not 64 characters: one may have any number of bytes.
    let start = String(id.unicodeScalars.prefix(64))
    return NavigationError(
      code: "gone", status: 409, title: "The screen is gone",
      detail: "No screen has the id \"\(start)\". Read the State for those that are presented.")
  }

  /// The error for an action whose screen is of another kind.
  static func otherScreen(_ id: String, is name: String, not other: String) -> NavigationError {
    NavigationError(
      code: "otherScreen", status: 422, title: "The action is for another screen",
      detail: "The screen \"\(id)\" is of the kind \"\(name)\", not \"\(other)\".")
  }
}

/// The error of code that uses a router incorrectly.
@usableFromInline
struct RouterMisuse: Error, CustomStringConvertible {
  @usableFromInline let description: String

  static let unbound = RouterMisuse(
    description:
      "The router belongs to no flow: connect the flow first, by a read of its `state` or its `action`."
  )

  static func noModule(for state: Any.Type) -> RouterMisuse {
    RouterMisuse(description: "No module of the flow has the State \(state).")
  }

  @usableFromInline
  static func wrongAction(for id: String, _ action: Any.Type) -> RouterMisuse {
    RouterMisuse(description: "The screen \"\(id)\" has no action of the type \(action).")
  }
}
