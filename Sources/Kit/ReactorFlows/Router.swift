public import ReactorCore

/// Presents and dismisses screens.
///
/// Unlike those of a router of UIKit, the functions return mutations. They have no effect until the
/// flow returns them from `mutate`, `coordinate` or `follow`, and they are reduced.
public protocol Router<Flow>: AnyObject {
  /// The flow whose screens are presented.
  associatedtype Flow: CoordinatorProtocol

  /// Presents a screen, whose module is the one with this type of State.
  ///
  /// - Parameters:
  ///   - state: The first State of the screen.
  ///   - presentation: How clients present it.
  ///   - animated: Whether clients animate the presentation.
  ///   - onDismissed: Coordinated once, when the screen is dismissed for any reason.
  /// - Returns: The mutation.
  func present<ScreenState: Codable & Sendable>(
    _ state: ScreenState, as presentation: Presentation, animated: Bool, onDismissed: Flow.Step?
  ) -> Observable<Flow.Mutation>

  /// Dismisses all screens above the first.
  func dismiss(animated: Bool) -> Observable<Flow.Mutation>
}

extension Router {
  /// Presents a screen on top of the others, without a step for its dismissal.
  public func present<ScreenState: Codable & Sendable>(
    _ state: ScreenState, as presentation: Presentation = .push, animated: Bool
  ) -> Observable<Flow.Mutation> {
    present(state, as: presentation, animated: animated, onDismissed: nil)
  }
}
