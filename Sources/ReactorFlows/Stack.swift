public import ReactorCore
internal import ReactorCoding

/// The maximum number of screens of a stack.
let stackLimit = 32

/// The screens of a flow, the first one at the bottom.
///
/// A value in the State of the flow. It changes through ``StackMutation`` only, which a router reduces.
public struct Stack<Flow: CoordinatorProtocol>: Sendable {
  /// The maximum number of screens.
  public static var limit: Int { stackLimit }

  /// The presented screens, the first one at the bottom.
  public internal(set) var entries: [Entry<Flow>]

  /// The number of screens that were presented so far, from which ids are assigned.
  ///
  /// An id is never used again in a session.
  public internal(set) var presented: Int

  /// The ids that the latest mutation has removed.
  ///
  /// Not part of the JSON.
  var removed: [String] = []

  /// Creates a stack with its first screen, whose module is the one with this type of State.
  public init<State: Codable & Sendable>(_ first: State) {
    presented = 1
    // Without a module there is no first screen, which the host reports at its start.
    entries = Flow.module(for: State.self).map { [Entry("1", $0, .root, state: first)] } ?? []
  }

  init(entries: [Entry<Flow>], presented: Int) {
    self.entries = entries
    self.presented = presented
  }

  /// The screen on top; `nil` only in a flow whose declaration is invalid.
  public var top: Entry<Flow>? { entries.last }

  /// The path of the screens above the first; `nil` if one of them has no link.
  public var path: String? {
    var path = ""
    for entry in entries.dropFirst() {
      guard let witness = Flow.module(named: entry.screen)?.witness, let name = witness.linkName
      else {
        return nil
      }
      FlowPath.append(name, to: &path)
      if let text = witness.linkText(of: entry.state) { FlowPath.append(text, to: &path) }
    }
    return path.isEmpty ? "/" : path
  }

  /// The screen with an id; `nil` if it is not presented.
  public subscript(id: String) -> Entry<Flow>? {
    index(of: id).map { entries[$0] }
  }

  func index(of id: String) -> Int? {
    entries.firstIndex { $0.id.utf8.elementsEqual(id.utf8) }
  }
}

/// One presented screen.
public struct Entry<Flow: CoordinatorProtocol>: Sendable, Identifiable {
  /// The id, which is never used again in the session.
  public let id: String

  /// The name of the module.
  public let screen: String

  /// How clients present the screen.
  public let presentation: Presentation

  /// Whether clients animate the presentation.
  public let animated: Bool

  /// The step that is coordinated when the screen is dismissed.
  public let onDismissed: Flow.Step?

  /// The State of the module.
  var state: any ModuleValue

  init(
    _ id: String, _ module: Module<Flow>, _ presentation: Presentation, animated: Bool = false,
    onDismissed: Flow.Step? = nil, state: any ModuleValue
  ) {
    self.id = id
    screen = module.name
    self.presentation = presentation
    self.animated = animated
    self.onDismissed = onDismissed
    self.state = state
  }

  /// The State of the screen; `nil` if it is of another kind.
  public func state<R: ReactorProtocol>(of reactor: R.Type) -> R.State? {
    state as? R.State
  }
}

extension CoordinatorProtocol {
  static func module(named name: String) -> Module<Self>? {
    modules.first { $0.name.utf8.elementsEqual(name.utf8) }
  }

  static func module(for state: Any.Type) -> Module<Self>? {
    modules.first { $0.witness.stateType == state }
  }
}

extension Stack: Equatable {
  /// Returns whether the JSON of both is the same.
  public static func == (lhs: Self, rhs: Self) -> Bool {
    (try? JSONCoder.encode(lhs)) == (try? JSONCoder.encode(rhs))
  }
}
