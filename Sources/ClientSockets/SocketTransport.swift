package import ClientCore
internal import Synchronization
internal import SystemThreads

/// The transport of plain sockets: HTTP/1.1 without TLS and without proxies of the environment.
///
/// Each connection has a thread, which receives and delivers the responses; an observer that blocks delays
/// its own connection only. Requests share a bounded number of connections. Requests that the server holds
/// for long, such as actions whose effects are awaited, have connections of their own, and each stream
/// has one.
///
/// The loss of a connection is detected by the end of the stream of bytes, by a reset, or by the
/// timeout of the request.
package final class SocketTransport: ClientTransport {
  /// The times of the threads of connections.
  package struct Times: Sendable {
    /// The time after which the thread of an idle connection checks the timeout of a written
    /// request.
    ///
    /// A request with a shorter timeout wakes the thread, which then waits with that timeout.
    package var check = Duration.seconds(5)

    /// The time without a request after which a connection is closed.
    package var idle = Duration.seconds(60)

    /// The longest timeout of requests that share connections.
    ///
    /// Those with a longer timeout are requests that the server holds.
    package var shared = Duration.seconds(30)

    /// Creates the default times.
    package init() {}
  }

  private static let longRequests = 32

  private let origin: HTTPOrigin
  private let times: Times
  private let requests: RequestConnections
  private let longRequests: RequestConnections
  private let streams = Mutex<(isClosed: Bool, open: [ObjectIdentifier: ConnectionHandle])>(
    (false, [:]))

  /// Creates a transport.
  ///
  /// - Parameters:
  ///   - origin: The server.
  ///   - connections: The connections for requests; further requests wait for one.
  ///   - times: The times of the threads.
  package init(to origin: HTTPOrigin, connections: Int = 4, times: Times = Times()) {
    self.origin = origin
    self.times = times
    requests = RequestConnections(to: origin, bound: connections, times)
    longRequests = RequestConnections(to: origin, bound: Self.longRequests, times)
  }

  /// Sends a request and receives the complete response, of at most 64 MiB.
  package func send(
    _ request: TransportRequest,
    completion: @escaping @Sendable (Result<TransportResponse, Problem>) -> Void
  ) {
    let connections = request.timeout > times.shared ? longRequests : requests
    connections.send(request, completion)
  }

  /// Sends a request on a connection of its own and receives its response as it arrives.
  package func open(
    _ request: TransportRequest, receive: @escaping @Sendable (TransportEvent) -> Void
  ) -> any TransportConnection {
    let handle = ConnectionHandle()
    let isOpen = streams.withLock { streams in
      guard !streams.isClosed else { return false }
      streams.open[ObjectIdentifier(handle)] = handle
      return true
    }
    guard isOpen else {
      receive(.end(.noResponse))
      return handle
    }
    let thread = SystemThread(named: "reactor-stream") { [self, origin] in
      let connection = HTTPConnection(to: origin, handle: handle, keepsConnection: false)
      var problem: Problem?
      do throws(ConnectionFailure) {
        try connection.exchange(request) { event in
          receive(event)
          return true
        }
      } catch {
        problem = error.problem
      }
      streams.withLock { _ = $0.open.removeValue(forKey: ObjectIdentifier(handle)) }
      receive(.end(problem))
    }
    if thread == nil {
      streams.withLock { _ = $0.open.removeValue(forKey: ObjectIdentifier(handle)) }
      receive(.end(.noConnection))
    }
    return handle
  }

  /// Ends all connections.
  package func close() {
    let handles = streams.withLock { streams in
      streams.isClosed = true
      return Array(streams.open.values)
    }
    for handle in handles { handle.cancel() }
    requests.close()
    longRequests.close()
  }
}

extension Problem {
  static let noConnection = Problem(
    .unreachable, "The system cannot open another connection",
    "The process or the system is at its limit of threads or of open files. The request is repeated "
      + "if it is safe.")
}
