public import ReactorClient
public import ReactorCore
public import ReactorHost
internal import ReactorStreams
internal import Synchronization

/// A service in the process of a test: several reactors whose sessions send to each other, several
/// users, virtual time, and crashes.
///
/// ```swift
/// let service = TestService([board])
/// let ada = service.server(as: Principal(id: "ada"))
/// let todo = ada.reactor(BoardReactor.self, "board", session: "todo")
/// let done = ada.reactor(BoardReactor.self, "board", session: "done")
/// _ = try await todo.send(.add("Paint"))
/// _ = try await todo.send(.move("Paint", to: "done"), expecting: .effects)
/// #expect(try await done.state().cards == ["Paint"])
/// ```
///
/// Delegates decide, and sessions send to each other, as in a daemon. `WallTime.now`, timers and
/// schedulers of effects use ``time``, which begins in 1970 and advances by ``advance(by:)`` only. A response
/// waits until the effects of its action have ended.
public final class TestService: Sendable {
  private struct State {
    var host: Host
    var transports: [InProcessTransport] = []
  }

  /// The virtual time.
  public let time: VirtualTimeScheduler

  private let state: Mutex<State>
  private let makeHost: @Sendable () -> Host
  private let context: VirtualSerialContext

  /// Creates a service.
  ///
  /// - Parameters:
  ///   - reactors: The hosted reactors.
  ///   - globals: The globals.
  ///   - log: The log, which outlives a crash.
  ///   - time: The virtual time.
  public init(
    _ reactors: [ReactorRegistration], globals: [any SharedGlobal] = [],
    log: any MutationLog = MemoryLog(), time: VirtualTimeScheduler = VirtualTimeScheduler()
  ) {
    self.time = time
    context = VirtualSerialContext(timer: time)
    var settings = HostSettings()
    settings.sendWait = .seconds(3600)
    makeHost = { [settings] in Host(reactors, globals: globals, log: log, settings: settings) }
    state = Mutex(State(host: makeHost()))
  }

  /// Returns a client of the service whose requests have a principal.
  ///
  /// - Parameters:
  ///   - principal: The principal, or `nil` for an anonymous client.
  ///   - configuration: The bounds of the client.
  /// - Returns: The client. It repeats actions and continues streams after a crash.
  public func server(
    as principal: Principal? = nil, configuration: ClientConfiguration = ClientConfiguration()
  ) -> ReactorServer {
    let transport = state.withLock { state in
      let transport = InProcessTransport(host: state.host, as: principal, in: context)
      state.transports.append(transport)
      return transport
    }
    return ReactorServer(transport: transport, configuration: configuration)
  }

  /// Advances the virtual time, fires the durable timers that become due, in their order, and executes
  /// the work of effects that becomes due.
  public func advance(by duration: Duration) async {
    let end = time.now + duration
    let host = state.withLock { $0.host }
    await CurrentSerialContext.$value.withValue(context) {
      while let next = await host.fireTimers(dueAt: .now) {
        let due = next - WallTime(milliseconds: 0)
        guard due <= end else { break }
        time.advance(to: due)
      }
      time.advance(to: end)
      _ = await host.fireTimers(dueAt: .now)
    }
  }

  /// Ends the process of the service, as `kill -9` does, and starts it again over the same log.
  ///
  /// What the log does not have is lost: sessions in memory and running effects. Accepted actions that
  /// have not ended run again.
  public func crash() async {
    let (former, next, transports) = state.withLock { state in
      let former = state.host
      state.host = makeHost()
      return (former, state.host, state.transports)
    }
    // First the transports: a client that repeats a request must not reach the former host.
    for transport in transports { transport.reconnect(to: next) }
    former.crash()
    await CurrentSerialContext.$value.withValue(context) { await next.resumeInterruptedActions() }
  }
}
