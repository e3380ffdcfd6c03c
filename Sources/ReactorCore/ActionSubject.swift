public import ReactorStreams

/// The input of a reactor: an observer of actions, and a stream of the actions that were sent.
///
/// It never ends: an error or a completion that it receives is ignored, so that a stream of taps that
/// completes does not end the reactor.
public final class ActionSubject<Action: Sendable>: ObservableType, ObserverType {
  /// An action.
  public typealias Element = Action

  private let send: @Sendable (Action) -> Void
  @usableFromInline let sent: Broadcaster<Action>

  package init(sent: Broadcaster<Action>, send: @escaping @Sendable (Action) -> Void) {
    self.sent = sent
    self.send = send
  }

  /// Sends an action to the reactor.
  ///
  /// Any thread.
  public func on(_ event: Event<Action>) {
    if case .next(let action) = event { send(action) }
  }

  /// Observes the actions that are sent, before they are transformed.
  ///
  /// - Returns: A disposable that cancels the subscription.
  public func subscribe(_ observer: any ObserverType<Action>) -> any Disposable {
    sent.subscribe(observer)
  }
}
