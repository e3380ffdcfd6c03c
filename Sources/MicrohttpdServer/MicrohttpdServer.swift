public import ReactorHTTP
internal import Synchronization

/// An HTTP server on libmicrohttpd, which parses requests and writes answers, with an event loop
/// of its own for the connections that carry streams.
///
/// A server runs once: `start()`, and in the end `stop(within:)`. Draining a service takes two
/// steps, so that nobody is cut off who could have been answered:
///
/// 1. The service turns itself to draining; the server goes on and answers what the service says.
///    `beginToStop()` makes clients open new connections, which a successor may accept, and
///    `finishStreams(within:)` asks every stream again, each gives its last chunk and ends.
/// 2. `stop(within:)` waits for the requests that are still being answered and closes everything.
///
/// A socket of its own is listened on until the very end: new connections get the service's answer,
/// which beats a refused connection. One that was inherited is not: whoever connects there waits in
/// the kernel for the successor.
public final class MicrohttpdServer: Sendable {
  private struct Running {
    let core: ServerCore
    let listeners: [ListeningSocket]
  }

  private let settings: Settings
  private let responder: any HTTPResponder
  private let hasStarted = Atomic<Bool>(false)
  private let running = Mutex<Running?>(nil)

  /// Makes a server that does nothing yet.
  public init(settings: Settings, responder: any HTTPResponder) {
    self.settings = settings
    self.responder = responder
  }

  deinit { stop(within: .zero) }

  /// Listens and serves; returns as soon as connections are accepted.
  ///
  /// Call it once. From then on the responder is called on the server's threads. The process's
  /// soft limit of open files is raised as far as the limits need; where the system grants less,
  /// the limits are cut to it.
  public func start() throws(ServerError) {
    guard !hasStarted.exchange(true, ordering: .relaxed) else {
      throw ServerError(.alreadyStarted, "This server was started before.")
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

  /// Where the server listens, with the ports that it got; empty while it does not.
  public var endpoints: [Endpoint] {
    running.withLock { $0?.listeners.map(\.endpoint) ?? [] }
  }

  /// The first port that the server listens on; `nil` where there is none.
  public var port: Int? {
    for case .network(_, let port) in endpoints { return port }
    return nil
  }

  /// What the server holds right now; all zero while it does not run.
  public var statistics: ServerStatistics {
    core?.statistics
      ?? ServerStatistics(
        connections: 0, requestsInFlight: 0, streams: 0, refused: 0, overdue: 0)
  }

  /// Begins the end: answers close their connections from now on, and sockets that others listen on
  /// as well are left to them.
  ///
  /// Sockets of our own are served until `stop(within:)`.
  public func beginToStop() { core?.beginToStop() }

  /// Asks every open stream again, and blocks until all have ended, at most for `grace`.
  ///
  /// The service has made its streams finish before it calls this: each `next()` gives what is
  /// left to say and then `.finished`. Streams that say otherwise stay open until `stop(within:)`.
  /// Returns whether all have ended. It blocks its thread, so do not call it on one of Swift's
  /// cooperative pool.
  @discardableResult
  public func finishStreams(within grace: Duration) -> Bool {
    core?.finishStreams(deadline: Clock.milliseconds + grace.milliseconds) ?? true
  }

  /// Waits at most `grace` for the requests in flight, then ends everything.
  ///
  /// New connections are served until then, with `Connection: close`. A request that has no answer
  /// when the time is over is answered with a bare 503, a stream that is open gets its last chunk
  /// where its client takes it at once. The port is free when this returns. Calling it again, or
  /// without a start, does nothing. It blocks its thread, so do not call it on one of Swift's
  /// cooperative pool, nor in a responder.
  public func stop(within grace: Duration) {
    guard let core = core else { return }
    core.finishRequests(deadline: Clock.milliseconds + grace.milliseconds)
    // Whoever takes it stops it, so that calling this twice at once stops once.
    guard let running = running.withLock({ $0.take() }) else { return }
    running.core.stop()
    for listener in running.listeners { listener.close() }
  }

  private var core: ServerCore? {
    running.withLock { $0?.core }
  }
}
