public import Observation
public import ReactorCore
internal import ReactorStreams

/// The model of a SwiftUI `NavigationStack` that shows a hosted flow.
///
/// ```swift
/// @State var screens: ObservedStack<Order, Order.Screen>
///
/// NavigationStack(path: $screens.pushed) {
///   MenuScreen().navigationDestination(for: ScreenEntry<Order.Screen>.self) { DrinkScreen($0.state) }
/// }
/// .sheet(item: $screens.covering) { CheckoutScreen($0.state) }
/// ```
///
/// The flow decides which screens are shown. When the user goes back, the navigation stack changes
/// the path; the model then sends the dismissal, and shows the screens of the resulting State.
@MainActor @Observable
public final class ObservedStack<Interface: ReactorInterface, Screen: Codable & Sendable>
where Interface.Action: Codable, Interface.State: Codable {
  private var shown: [ScreenEntry<Screen>] = []
  private var shownCover: ScreenEntry<Screen>?

  /// The first screen, or `nil` before the first State.
  public private(set) var root: ScreenEntry<Screen>?

  @ObservationIgnored private let model: ObservedReactor<Interface>
  @ObservationIgnored private let stack: (Interface.State) -> ScreenStack<Screen>
  @ObservationIgnored private let action: (ScreenStackAction) -> Interface.Action

  /// Observes the stack of a flow.
  ///
  /// - Parameters:
  ///   - model: The model of the flow.
  ///   - stack: Returns the stack in the State of the flow, such as `\.stack`.
  ///   - action: Wraps an action of the stack as one of the flow, such as `Order.Action.stack`.
  public init(
    _ model: ObservedReactor<Interface>, stack: @escaping (Interface.State) -> ScreenStack<Screen>,
    action: @escaping (ScreenStackAction) -> Interface.Action
  ) {
    self.model = model
    self.stack = stack
    self.action = action
    follow()
  }

  /// The pushed screens, as the path of a navigation stack.
  ///
  /// Removing screens from the path dismisses them in the flow.
  public var pushed: [ScreenEntry<Screen>] {
    get { shown }
    set {
      let dismissal = stack(model.state).dismissal(leaving: newValue)
      shown = newValue
      if let dismissal { model.send(action(dismissal)) }
    }
  }

  /// The screen above the navigation stack.
  ///
  /// Assigning `nil` dismisses it in the flow.
  public var covering: ScreenEntry<Screen>? {
    get { shownCover }
    set {
      if newValue == nil, let shownCover { model.send(action(.dismiss(shownCover.id))) }
      shownCover = newValue
    }
  }

  /// Opens a path of the flow.
  public func open(_ path: String) {
    model.send(action(.open(path)))
  }

  /// Shows the screens of the State, now and after each change of it.
  private func follow() {
    let current: ScreenStack<Screen>? = withObservationTracking {
      model.isLoaded ? stack(model.state) : nil
    } onChange: { [weak self] in
      // `onChange` is called on the main actor, which changes the model, and before the change: the
      // task reads the State after it.
      Task { @MainActor in self?.follow() }
    }
    guard let current else { return }
    root = current.entries.first
    shown = current.pushed
    shownCover = current.covering
  }
}
