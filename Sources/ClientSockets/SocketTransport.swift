package import ClientCore
internal import Synchronization
internal import SystemThreads

/// The transport of plain sockets: HTTP/1.1 without TLS and without proxies of the environment.
///
/// Each connection has a thread, which also delivers the responses; an observer that blocks delays its
/// own connection only. Requests share a bounded number of connections. Requests that the server holds
/// for long, such as actions whose effects are awaited, have connections of their own, and each stream
/// has one.
///
/// A connection that was cut is noticed at once: by the end of the bytes, by a reset, or by the timeout
/// of the request.
package final class SocketTransport: ClientTransport {
  private static let longRequests = 32
  /// A request with a longer timeout is one that the server holds.
  private static let shortTimeout = Duration.seconds(30)

  private let origin: HTTPOrigin
  private let requests: RequestThreads
  private let longRequests: RequestThreads
  private let streams = Mutex<(isClosed: Bool, open: [ObjectIdentifier: ConnectionHandle])>(
    (false, [:]))

  /// Creates a transport.
  ///
  /// - Parameters:
  ///   - origin: The server.
  ///   - connections: The connections for requests; further requests wait for one.
  package init(to origin: HTTPOrigin, connections: Int = 4) {
    self.origin = origin
    requests = RequestThreads(to: origin, bound: connections)
    longRequests = RequestThreads(to: origin, bound: Self.longRequests)
  }

  /// Sends a request and receives the complete response, of at most 64 MiB.
  package func send(
    _ request: TransportRequest,
    completion: @escaping @Sendable (Result<TransportResponse, Problem>) -> Void
  ) {
    let threads = request.timeout > Self.shortTimeout ? longRequests : requests
    threads.send(request, completion)
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
        try connection.perform(request) { event in
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
      receive(.end(.noThread))
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

/// A bounded number of connections, each with a thread that ends when it was idle for a minute.
private final class RequestThreads: Sendable {
  private struct Request: Sendable {
    let request: TransportRequest
    let completion: @Sendable (Result<TransportResponse, Problem>) -> Void
  }

  private struct Worker: Sendable {
    let handle = ConnectionHandle()
    let semaphore = Semaphore()
  }

  private struct State: Sendable {
    var pool: ConnectionPool<Request>
    var workers: [Int: Worker] = [:]
  }

  private static let idleSeconds = 60

  private let origin: HTTPOrigin
  private let state: Mutex<State>

  init(to origin: HTTPOrigin, bound: Int) {
    self.origin = origin
    state = Mutex(State(pool: ConnectionPool(bound: bound)))
  }

  func send(
    _ request: TransportRequest,
    _ completion: @escaping @Sendable (Result<TransportResponse, Problem>) -> Void
  ) {
    let (step, worker) = state.withLock { state in
      let step = state.pool.enqueue(Request(request: request, completion: completion))
      switch step {
      case .start(let number):
        let worker = Worker()
        state.workers[number] = worker
        return (step, Worker?.some(worker))
      case .wake(let number): return (step, state.workers[number])
      case .wait, .reject: return (step, nil)
      }
    }
    switch step {
    case .start(let number): if let worker { start(number, worker) }
    case .wake: worker?.semaphore.signal()
    case .wait: break
    case .reject(let request): request.completion(.failure(.noResponse))
    }
  }

  func close() {
    let (requests, workers) = state.withLock { state in
      (state.pool.close().requests, Array(state.workers.values))
    }
    for worker in workers {
      worker.handle.cancel()
      worker.semaphore.signal()
    }
    for request in requests { request.completion(.failure(.noResponse)) }
  }

  private func start(_ number: Int, _ worker: Worker) {
    let thread = SystemThread(named: "reactor-request") { [self] in run(number, worker) }
    guard thread == nil else { return }
    let request = state.withLock { state in
      defer { end(number, &state) }
      return state.pool.take(number)
    }
    request?.completion(.failure(.noThread))
  }

  private func run(_ number: Int, _ worker: Worker) {
    let connection = HTTPConnection(to: origin, handle: worker.handle)
    while true {
      while let next = state.withLock({ $0.pool.take(number) }) {
        respond(to: next, on: connection)
      }
      let isWoken = worker.semaphore.wait(seconds: Self.idleSeconds)
      let hasEnded = state.withLock { state in
        guard state.pool.isClosed || !isWoken && state.pool.retire(number) else { return false }
        state.workers[number] = nil
        return true
      }
      if hasEnded { return }
    }
  }

  private func end(_ number: Int, _ state: inout State) {
    state.workers[number] = nil
    _ = state.pool.retire(number)
  }

  private func respond(to next: Request, on connection: HTTPConnection) {
    let result: Result<TransportResponse, Problem>
    do throws(ConnectionFailure) {
      result = .success(try connection.response(to: next.request))
    } catch {
      result = .failure(error.problem)
    }
    next.completion(result)
  }
}

extension Problem {
  fileprivate static let noThread = Problem(
    .unreachable, "The system cannot create a thread",
    "The process or the system is at its limit of threads. The request is repeated if it is safe.")
}
