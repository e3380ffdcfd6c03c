public import ReactorCore
internal import ReactorCoding

/// The maximum number of screens of a stack.
let stackLimit = 32

/// The screens of a flow, the first one at the bottom.
///
/// A value in the State of the flow. It changes through ``StackMutation`` only, which a router reduces.
///
/// The JSON of a screen is cached until its State changes. `encode(to:)` of the State of a module
/// must therefore depend on the value alone.
public struct Stack<Flow: CoordinatorProtocol>: Sendable {
  /// The maximum number of screens.
  public static var limit: Int { stackLimit }

  @usableFromInline var contents: StackContents

  /// The presented screens, the first one at the bottom.
  public var entries: [Entry<Flow>] { contents.entries.map { Entry(contents: $0) } }

  /// The number of screens that were presented so far, from which ids are assigned.
  ///
  /// An id is never used again in a session.
  public var presented: Int { contents.presented }

  /// Creates a stack with its first screen, whose module is the one with this type of State.
  public init<State: Codable & Sendable>(_ first: State) {
    // If no module has the State, the stack is empty, which the host reports as an error at its
    // start.
    let screen = Flow.module(for: State.self).map {
      PresentedScreen(
        ScreenFacts("1", $0.kind, .root, animated: false, onDismissed: nil), state: first)
    }
    contents = StackContents(entries: screen.map { [$0] } ?? [], presented: 1)
  }

  init(contents: StackContents) {
    self.contents = contents
  }

  /// The screen on top; `nil` only in a flow whose declaration is invalid.
  public var top: Entry<Flow>? { contents.entries.last.map { Entry(contents: $0) } }

  /// The path of the screens above the root, or `nil` if one of them has no link.
  public var path: String? {
    guard contents.hasPath else { return nil }
    var path: [UInt8] = []
    contents.appendPath(to: &path)
    return String(decoding: path, as: UTF8.self)
  }

  /// The screen with an id, or `nil` if it is not presented.
  public subscript(id: String) -> Entry<Flow>? {
    contents[id].map { Entry(contents: $0) }
  }
}

/// One presented screen.
public struct Entry<Flow: CoordinatorProtocol>: Sendable, Identifiable {
  let contents: PresentedScreen

  /// The id, which is never used again in the session.
  public var id: String { contents.facts.id }

  /// The name of the module.
  public var screen: String { contents.facts.kind.name }

  /// How clients present the screen.
  public var presentation: Presentation { contents.facts.presentation }

  /// Whether clients animate the presentation.
  public var animated: Bool { contents.facts.animated }

  /// The step that is coordinated when the screen is dismissed, or `nil` for none.
  public var onDismissed: Flow.Step? { contents.facts.onDismissed as? Flow.Step }

  /// Returns the State of the screen, or `nil` if the screen is of another kind.
  public func state<R: ReactorProtocol>(of reactor: R.Type) -> R.State? {
    contents.state as? R.State
  }
}

extension Stack: Equatable {
  /// Returns whether the JSON of both is the same.
  public static func == (lhs: Self, rhs: Self) -> Bool {
    (try? JSONCoder.encode(lhs)) == (try? JSONCoder.encode(rhs))
  }
}
