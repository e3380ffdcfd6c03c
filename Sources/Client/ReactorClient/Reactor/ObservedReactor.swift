public import ClientCore
internal import Dispatch
public import Observation
public import ReactorCore
internal import ReactorStreams

/// The model of a SwiftUI view: the State and the connection of a hosted reactor as observed
/// properties of the main actor.
///
/// ```swift
/// struct CounterView: View {
///   @State var counter: ObservedReactor<CounterReactor>
///
///   var body: some View {
///     Button("\(counter.state.value)") { counter.send(.increase) }
///       .disabled(!counter.isLoaded)
///   }
/// }
/// ```
@MainActor @Observable
public final class ObservedReactor<Interface: ReactorInterface>
where Interface.Action: Codable, Interface.State: Codable {
  /// The last State; the initial one before the first has arrived.
  public private(set) var state: Interface.State

  /// Whether a State has arrived.
  public private(set) var isLoaded = false

  /// The status of the connection; the State is current while it is `live`.
  public private(set) var connection = ConnectionStatus.connecting

  /// The last problem of an action or a State; set it to `nil` when it has been shown.
  public var problem: Problem?

  /// The reactor, for everything else.
  @ObservationIgnored public let reactor: RemoteReactor<Interface>

  @ObservationIgnored private let disposeBag = DisposeBag()

  /// Observes a reactor.
  public init(_ reactor: RemoteReactor<Interface>) {
    self.reactor = reactor
    state = reactor.currentState
    observe(reactor.connection) { $0.connection = $1 }
    observe(reactor.problems) { $0.problem = $1 }
    observe(reactor.state) { model, state in
      model.state = state
      model.isLoaded = true
    }
  }

  /// Sends an action; if the server rejects it, ``problem`` is set.
  public func send(_ action: Interface.Action) {
    reactor.action.onNext(action)
  }

  private func observe<Value: Sendable>(
    _ values: Observable<Value>,
    _ change: @escaping @MainActor @Sendable (ObservedReactor, Value) -> Void
  ) {
    values.subscribe(onNext: { [weak self] value in
      // The main queue preserves the order of the values; tasks of the main actor would not
      // guarantee it.
      DispatchQueue.main.async {
        MainActor.assumeIsolated {
          guard let self else { return }
          change(self, value)
        }
      }
    }).disposed(by: disposeBag)
  }
}
