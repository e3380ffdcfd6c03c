/// The screens of a hosted flow, as a member of a client's State.
///
/// For a client that does not have the code of the flow; one that has it uses `Stack` of `ReactorFlows`
/// in the State that it shares with the server.
///
/// ```swift
/// enum Order: ReactorInterface {
///   struct State: Codable { var stack: ScreenStack<Screen> }
///   enum Action: Codable { case stack(ScreenStackAction), checkout }
///
///   /// The members of all screens that the client shows.
///   struct Screen: Codable, Hashable { var name: String?, size: String? }
/// }
/// ```
public struct ScreenStack<Screen: Codable & Sendable>: Codable, Sendable {
  /// The path of the screens above the first, or `nil` if one of them has no link.
  public var path: String?

  /// The number of screens that were presented so far.
  public var presented: Int

  /// The presented screens, the first one at the bottom.
  public var entries: [ScreenEntry<Screen>]

  /// The screens that a navigation stack shows above the first one: those that are pushed.
  public var pushed: [ScreenEntry<Screen>] {
    Array(entries.dropFirst().prefix { $0.presentation == "push" })
  }

  /// The first screen that covers the navigation stack, or `nil` if there is none.
  ///
  /// ``ScreenEntry/presentation`` is `modal`, `cover` or a text of the flow's own.
  public var covering: ScreenEntry<Screen>? {
    entries.dropFirst().first { $0.presentation != "push" }
  }

  /// Returns the action that dismisses the pushed screens that a navigation stack does not show any
  /// more, or `nil` if it shows all of them.
  ///
  /// - Parameter shown: The pushed screens that a navigation stack still shows.
  /// - Returns: The dismissal of the lowest screen that is missing, which includes all screens
  ///   above it.
  public func dismissal(leaving shown: [ScreenEntry<Screen>]) -> ScreenStackAction? {
    let ids = Set(shown.map(\.id))
    return pushed.first { !ids.contains($0.id) }.map { .dismiss($0.id) }
  }
}

/// One presented screen of a hosted flow.
public struct ScreenEntry<Screen: Codable & Sendable>: Codable, Sendable, Identifiable {
  /// The id, which is never used again in the session.
  public var id: String

  /// The name of the module.
  public var screen: String

  /// How the screen is presented: `root`, `push`, `modal`, `cover`, or a text of the flow's own.
  public var presentation: String

  /// Whether the presentation is animated.
  public var animated: Bool

  /// The State of the screen.
  public var state: Screen
}

extension ScreenStack: Equatable where Screen: Equatable {}
extension ScreenEntry: Equatable where Screen: Equatable {}

extension ScreenEntry: Hashable where Screen: Equatable {
  /// Hashes the id, which identifies the screen while its State changes.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(id)
  }
}

/// The action of a flow that concerns its stack, as the payload of the flow's case `stack`.
public enum ScreenStackAction: Codable, Hashable, Sendable {
  /// Dismisses a screen and those above it.
  case dismiss(String)

  /// Goes to a path, such as `/drinks/Mocha`.
  case open(String)
}
