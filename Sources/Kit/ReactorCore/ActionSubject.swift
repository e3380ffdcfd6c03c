public import ReactorStreams

/// The input of a reactor: an observer of actions, and a stream of the actions that were sent.
///
/// It never ends: it ignores an error or a completion. A stream of taps that is bound to it can
/// therefore complete without ending the reactor.
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
  /// Any thread can call this. An error or a completion is ignored.
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
