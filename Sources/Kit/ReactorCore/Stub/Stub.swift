internal import ReactorStreams
internal import Synchronization

/// A replacement for a reactor's pipeline in the test of a view: records the actions that the view
/// sends, and publishes the states that the test sets.
///
/// ```swift
/// let reactor = ProfileViewReactor()
/// reactor.isStubEnabled = true
/// view.reactor = reactor
///
/// reactor.stub.state.value = State(isFollowing: true)   // the view shows it
/// #expect(reactor.stub.actions == [.refresh])           // the view sent it; nothing was mutated
/// ```
///
/// A stub that is not enabled has no effect.
public struct Stub<Reactor: ReactorProtocol> {
  let reactor: Reactor
  let recording: StubRecording<Reactor.Action, Reactor.State>

  /// The state of the reactor while its stub is enabled.
  ///
  /// The initial value is the reactor's state at the first access to the stub.
  public var state: StateRelay<Reactor.State> {
    recording.state
  }

  /// The input of the reactor while its stub is enabled.
  public var action: ActionSubject<Reactor.Action> {
    recording.action
  }

  /// The actions that were sent to the stub, the oldest first.
  public var actions: [Reactor.Action] {
    recording.actions
  }
}

/// The state and the actions of a stub, which live as long as its reactor.
final class StubRecording<Action: Sendable, State: Sendable>: Sendable {
  let state: StateRelay<State>
  let action: ActionSubject<Action>
  private let received: StubActions<Action>

  init(showing state: State) {
    self.state = StateRelay(value: state)
    let received = StubActions<Action>()
    let sent = Broadcaster<Action>(replay: 0)
    self.received = received
    action = ActionSubject(sent: sent) { action in
      received.append(action)
      sent.send(.next(action))
    }
  }

  var actions: [Action] {
    received.all
  }
}

private final class StubActions<Action: Sendable>: Sendable {
  private let actions = Mutex<[Action]>([])

  var all: [Action] {
    actions.withLock { $0 }
  }

  func append(_ action: Action) {
    actions.withLock { $0.append(action) }
  }
}
