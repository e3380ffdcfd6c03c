internal import ClientCore
internal import Synchronization
internal import SystemThreads

/// A bounded number of connections for requests, each with a thread that ends when it was idle for
/// ``SocketTransport/Times/idle``.
///
/// If a connection is open and idle, the calling thread writes the request to it, and the thread of
/// the connection wakes only for the response.
///
/// ```
///   idle ──send: the caller writes──▶ written ──bytes, end of the connection──▶ busy ──▶ idle
///     └───send, if the connection is closed or the request is large: wake──────▶ busy
/// ```
final class RequestConnections: Sendable {
  /// A request and the recipient of its response.
  fileprivate struct Request: Sendable {
    let request: OutboundRequest
    let completion: @Sendable (Result<TransportResponse, Problem>) -> Void
  }

  /// A connection and its thread.
  fileprivate final class Worker: Sendable {
    struct Slot: Sendable {
      /// The open socket while the thread waits: the next request can be written to it.
      var idleSocket: ClientSocket?
      /// The request that a caller wrote to the socket, and the time of the write in
      /// ``Clock/milliseconds``.
      var written: (request: Request, at: Int64)?
    }

    let number: Int
    let handle = ConnectionHandle()
    let waker: Waker
    /// Accessed only while the state is locked.
    let slot = Mutex(Slot())

    /// Creates a worker; `nil` if the process has no file descriptors left.
    init?(_ number: Int) {
      guard let waker = Waker() else { return nil }
      self.number = number
      self.waker = waker
    }
  }

  fileprivate enum Step {
    case start(Worker)
    case write(ClientSocket, Waker)
    case wake(Waker)
    case wait
    case reject(Request)
    case fail(Request)
  }

  /// The instruction to the thread of a connection.
  fileprivate enum Command {
    case send(Request)
    case receive(Request, writtenFor: Duration)
    case wait
    case disconnect
    case end
  }

  fileprivate struct State: Sendable {
    var pool: ConnectionPool<Request>
    var workers: [Int: Worker] = [:]
  }

  /// The maximum size of a request that the calling thread writes.
  ///
  /// The calling thread must not block: the send buffer of a socket without a pending request has
  /// room for this size.
  fileprivate static let directSize = 16_384

  private let origin: HTTPOrigin
  private let idleWait: Int64
  private let idleTime: Int64
  private let state: Mutex<State>

  /// - Parameters:
  ///   - origin: The server.
  ///   - bound: The number of connections; further requests wait for one.
  ///   - times: The times of the threads.
  init(to origin: HTTPOrigin, bound: Int, _ times: SocketTransport.Times) {
    self.origin = origin
    idleWait = times.check.milliseconds
    idleTime = times.idle.milliseconds
    state = Mutex(State(pool: ConnectionPool(bound: bound)))
  }

  /// Sends a request; `completion` is called once, on any thread.
  func send(
    _ request: TransportRequest,
    _ completion: @escaping @Sendable (Result<TransportResponse, Problem>) -> Void
  ) {
    let outbound: OutboundRequest
    do throws(ConnectionFailure) {
      outbound = try OutboundRequest(request, to: origin, keepsConnection: true)
    } catch {
      return completion(.failure(error.problem))
    }
    switch state.withLock({ $0.add(Request(request: outbound, completion: completion)) }) {
    case .start(let worker): start(worker)
    case .write(let socket, let waker):
      // After an incomplete write the connection is ended. Its thread then repeats the request on a
      // new connection, if repeating is safe.
      if !socket.write(outbound.bytes) { socket.shutdown() }
      if outbound.timeout.milliseconds < idleWait { waker.wake() }
    case .wake(let waker): waker.wake()
    case .wait: break
    case .reject(let request): request.completion(.failure(.noResponse))
    case .fail(let request): request.completion(.failure(.noConnection))
    }
  }

  /// Ends all connections and rejects further requests.
  func close() {
    let (requests, workers) = state.withLock { state in
      (state.pool.close().requests, Array(state.workers.values))
    }
    for worker in workers {
      worker.handle.cancel()
      worker.waker.wake()
    }
    for request in requests { request.completion(.failure(.noResponse)) }
  }

  private func start(_ worker: Worker) {
    let thread = SystemThread(named: "reactor-request") { [self] in serve(worker) }
    guard thread == nil else { return }
    let request = state.withLock { $0.remove(worker.number) }
    request?.completion(.failure(.noConnection))
  }

  private func serve(_ worker: Worker) {
    let connection = HTTPConnection(to: origin, handle: worker.handle)
    var lastUse = Clock.milliseconds
    while true {
      var command = state.withLock { $0.next(of: worker, connection.idleSocket) }
      if case .wait = command {
        let hasBytes = connection.wait(for: worker.waker, milliseconds: idleWait)
        let isUnused = Clock.milliseconds - lastUse >= idleTime
        command = state.withLock { $0.woken(worker, hasBytes: hasBytes, isUnused: isUnused) }
      }
      switch command {
      case .send(let request): respond(to: request, on: connection)
      case .receive(let request, let time): respond(to: request, writtenFor: time, on: connection)
      case .wait: continue
      case .disconnect:
        connection.disconnect()
        continue
      case .end: return
      }
      lastUse = Clock.milliseconds
    }
  }

  private func respond(
    to request: Request, writtenFor time: Duration? = nil, on connection: HTTPConnection
  ) {
    let result: Result<TransportResponse, Problem>
    do throws(ConnectionFailure) {
      result = .success(try connection.response(to: request.request, writtenFor: time))
    } catch {
      result = .failure(error.problem)
    }
    request.completion(result)
  }
}

extension RequestConnections.State {
  fileprivate mutating func add(_ request: RequestConnections.Request) -> RequestConnections.Step {
    let isSmall = request.request.bytes.count <= RequestConnections.directSize
    if isSmall, let number = pool.lastIdle, let worker = workers[number],
      let socket = worker.slot.withLock({ $0.write(request) })
    {
      pool.useLastIdle()
      return .write(socket, worker.waker)
    }
    switch pool.enqueue(request) {
    case .start(let number):
      guard let worker = RequestConnections.Worker(number) else {
        _ = remove(number)
        return .fail(request)
      }
      workers[number] = worker
      return .start(worker)
    case .wake(let number): return workers[number].map { .wake($0.waker) } ?? .wait
    case .wait: return .wait
    case .reject(let request): return .reject(request)
    }
  }

  /// Returns the next command for the thread of a connection that has executed the previous one.
  fileprivate mutating func next(
    of worker: RequestConnections.Worker, _ socket: ClientSocket?
  ) -> RequestConnections.Command {
    if pool.isClosed { return end(worker.number) }
    if let request = pool.take(worker.number) { return .send(request) }
    worker.slot.withLock { $0.idleSocket = socket }
    return .wait
  }

  /// Returns the command for the thread of a connection after its wait.
  fileprivate mutating func woken(
    _ worker: RequestConnections.Worker, hasBytes: Bool, isUnused: Bool
  ) -> RequestConnections.Command {
    let written = worker.slot.withLock { slot in
      slot.idleSocket = nil
      return slot.written.take()
    }
    if let (request, time) = written {
      let elapsed = hasBytes ? 0 : Clock.milliseconds - time
      return .receive(request, writtenFor: .milliseconds(elapsed))
    }
    // No request is pending: readability means that the server has closed the connection.
    if hasBytes { return .disconnect }
    return isUnused && pool.retire(worker.number) ? end(worker.number) : .wait
  }

  /// Removes a connection that could not be started; returns its request.
  fileprivate mutating func remove(_ number: Int) -> RequestConnections.Request? {
    let request = pool.take(number)
    _ = end(number)
    return request
  }

  private mutating func end(_ number: Int) -> RequestConnections.Command {
    workers[number] = nil
    _ = pool.retire(number)
    return .end
  }
}

extension RequestConnections.Worker.Slot {
  /// Records a request and returns the socket that the caller writes it to; `nil` if no idle socket
  /// is open.
  fileprivate mutating func write(_ request: RequestConnections.Request) -> ClientSocket? {
    guard let socket = idleSocket.take() else { return nil }
    written = (request, Clock.milliseconds)
    return socket
  }
}
