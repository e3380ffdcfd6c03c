public import ReactorStreams

/// Where actions enter a reactor: an observer of actions, and a stream of those that were sent.
///
/// It never ends: a failure or a completion sent into it is dropped, so that a stream of taps that
/// ends does not end the reactor it was bound to.
public final class ActionSubject<Action: Sendable>: ObservableType, ObserverType {
  /// Actions go in and come out.
  public typealias Element = Action

  private let send: @Sendable (Action) -> Void
  @usableFromInline let sent: Broadcaster<Action>

  package init(sent: Broadcaster<Action>, send: @escaping @Sendable (Action) -> Void) {
    self.sent = sent
    self.send = send
  }

  /// Sends an action to the reactor; any thread may call.
  public func on(_ event: Event<Action>) {
    if case .next(let action) = event { send(action) }
  }

  /// Observes the actions that are sent, before they are transformed.
  ///
  /// - Returns: What ends the observation.
  public func subscribe(_ observer: any ObserverType<Action>) -> any Disposable {
    sent.subscribe(observer)
  }
}
