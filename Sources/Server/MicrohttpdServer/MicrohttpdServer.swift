package import ReactorTransport
internal import Synchronization
internal import SystemThreads

/// An HTTP server: libmicrohttpd parses requests and sends responses, an event loop writes streams.
///
/// A server runs once, from `start()` to `stop(within:)`. To drain it without losing requests:
///
/// 1. Let the responder reject new work. `beginToStop()` makes clients open new connections, which a
///    successor may accept; `finishStreams(within:)` polls every stream, so that each sends its last
///    chunk and ends.
/// 2. `stop(within:)` waits for pending responses and closes all connections.
///
/// While it drains, the server continues to accept from its own sockets, so that clients receive a
/// response and not a connection error. It stops accepting from inherited sockets immediately:
/// new connections wait in the kernel for the successor.
package final class MicrohttpdServer: Sendable {
  private struct Running {
    let core: ServerCore
    let listeners: [ListeningSocket]
  }

  private let settings: Settings
  private let responder: any HTTPResponder
  private let hasStarted = Atomic<Bool>(false)
  private let running = Mutex<Running?>(nil)

  /// Creates a server.
  package init(settings: Settings, responder: any HTTPResponder) {
    self.settings = settings
    self.responder = responder
  }

  deinit { stop(within: .zero) }

  /// Listens and starts the threads.
  ///
  /// Call it once. Raises the process's soft limit of open files as far as the limits need; if the
  /// system grants less, the limits are reduced. The responder is called on the server's threads.
  package func start() throws(ServerError) {
    guard !hasStarted.exchange(true, ordering: .relaxed) else {
      throw ServerError(.alreadyStarted, "This server was already started.")
    }
    var listeners: [ListeningSocket] = []
    for endpoint in settings.endpoints { listeners.append(try ListeningSocket(endpoint)) }
    var settings = settings
    let budget = DescriptorBudget(raisingLimitFor: settings.limits)
    settings.limits.connections = budget.connections
    settings.limits.streams = budget.streams
    let core = try ServerCore(settings: settings, responder: responder)
    do throws(ServerError) {
      try core.start(listeningOn: listeners)
      running.withLock { $0 = Running(core: core, listeners: listeners) }
    } catch {
      core.stop()
      throw error
    }
  }

  /// The addresses that the server listens on, with their actual ports; empty while it is stopped.
  package var endpoints: [Endpoint] {
    running.withLock { $0?.listeners.map(\.endpoint) ?? [] }
  }

  /// The first port that the server listens on, or `nil` without one.
  package var port: Int? {
    for case .network(_, let port) in endpoints { return port }
    return nil
  }

  /// The limits that apply, after they were reduced to the available descriptors; the configured ones
  /// while the server is stopped.
  package var limits: Settings.Limits { core?.settings.limits ?? settings.limits }

  /// The server's connections and counters; all zero while it is stopped.
  package var statistics: ServerStatistics {
    core?.statistics
      ?? ServerStatistics(
        connections: 0, requestsInFlight: 0, streams: 0, rejected: 0, overdue: 0)
  }

  /// The name of a thread, and a function that calls another one on this thread between two turns.
  package typealias ThreadCaller = (
    name: String, call: @Sendable (@escaping @Sendable () -> Void) -> Void
  )

  /// The threads that serve connections; empty while the server is stopped.
  ///
  /// A thread that has ended calls nothing.
  package var threads: [ThreadCaller] { core?.threads ?? [] }

  /// Begins to drain: each response closes its connection, and the server stops accepting from
  /// inherited sockets.
  ///
  /// The server's own sockets are served until `stop(within:)`.
  package func beginToStop() { core?.beginToStop() }

  /// Polls every open stream, and blocks until all have ended.
  ///
  /// The caller finishes its streams first: each `next()` returns the remaining chunks and then
  /// `.finished`. Other streams stay open until `stop(within:)`. Blocks its thread, so do not call it
  /// on Swift's cooperative pool.
  ///
  /// - Parameter grace: The longest time to block.
  /// - Returns: Whether all streams have ended.
  @discardableResult
  package func finishStreams(within grace: Duration) -> Bool {
    core?.finishStreams(deadline: Clock.milliseconds + grace.milliseconds) ?? true
  }

  /// Waits for the requests in flight, then closes all connections.
  ///
  /// New connections are served until then, with `Connection: close`. A request without a response
  /// after `grace` gets a 503 without a body; an open stream gets its last chunk if its socket has
  /// room. The port is free when this returns. Has no effect on a server that is not running. Blocks
  /// its thread, so do not call it on Swift's cooperative pool, nor in a responder.
  ///
  /// - Parameter grace: The longest time to wait for requests.
  package func stop(within grace: Duration) {
    guard let core = core else { return }
    core.finishRequests(deadline: Clock.milliseconds + grace.milliseconds)
    // Concurrent calls stop the server once.
    guard let running = running.withLock({ $0.take() }) else { return }
    running.core.stop()
    for listener in running.listeners { listener.close() }
  }

  private var core: ServerCore? {
    running.withLock { $0?.core }
  }
}
