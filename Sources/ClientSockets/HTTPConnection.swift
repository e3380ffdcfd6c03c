package import ClientCore
internal import Synchronization
internal import SystemThreads

/// A connection of HTTP/1.1 that one thread uses for one request after the other.
///
/// The thread blocks in ``exchange(_:waitingAtMost:receive:)``. The socket is connected at the
/// first request, and again at the next request after the server has closed it.
package final class HTTPConnection {
  private static let bufferSize = 16_384
  private static let connectTimeout = Duration.seconds(10)

  private let origin: HTTPOrigin
  private let handle: ConnectionHandle
  private let keepsConnection: Bool
  private var socket: ClientSocket?
  /// The timeout that is set on the socket; `nil` if none has been set.
  private var limit: Duration?
  private var buffer = [UInt8](repeating: 0, count: bufferSize)

  /// Creates a connection; nothing is sent yet.
  ///
  /// - Parameters:
  ///   - origin: The server.
  ///   - handle: Ends the connection from another thread.
  ///   - keepsConnection: Whether the connection stays open after a response.
  package init(
    to origin: HTTPOrigin, handle: ConnectionHandle = ConnectionHandle(),
    keepsConnection: Bool = true
  ) {
    self.origin = origin
    self.handle = handle
    self.keepsConnection = keepsConnection
  }

  /// Sends a request and passes on its response; blocks until its end.
  ///
  /// A connection that the server closed while it was idle is replaced. If this is detected only
  /// after the request was sent, the request is repeated once on a new connection, provided that
  /// repeating is safe.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - limit: Returns the longest time to wait for the next bytes, called before each wait; `nil`
  ///     for the timeout of the request.
  ///   - receive: Receives the head and the parts of the body; returns `false` to end the connection
  ///     before the end of the response, which is no failure.
  /// - Throws: A failure if there is no complete response, or if the handle was cancelled.
  package func exchange(
    _ request: TransportRequest, waitingAtMost limit: (() -> Duration)? = nil,
    receive: (TransportEvent) -> Bool
  ) throws(ConnectionFailure) {
    let request = try OutboundRequest(request, to: origin, keepsConnection: keepsConnection)
    try exchange(request, writtenFor: nil, limit, receive)
  }

  /// Sends a request and waits for the complete response, of at most 64 MiB.
  ///
  /// - Throws: As ``exchange(_:waitingAtMost:receive:)``, and if the body is larger.
  package func response(
    to request: TransportRequest
  ) throws(ConnectionFailure) -> TransportResponse {
    try response(to: OutboundRequest(request, to: origin, keepsConnection: keepsConnection))
  }

  /// Waits for the complete response to a request.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - time: How long ago another thread has written the request to ``idleSocket``; `nil` to send it.
  /// - Returns: The response.
  /// - Throws: As ``exchange(_:waitingAtMost:receive:)``, and if the body is larger than 64 MiB.
  func response(
    to request: OutboundRequest, writtenFor time: Duration? = nil
  ) throws(ConnectionFailure) -> TransportResponse {
    var collector = ResponseCollector()
    var result: Result<TransportResponse, Problem>?
    try exchange(request, writtenFor: time, nil) { event in
      result = collector.receive(event)
      return result == nil
    }
    result = result ?? collector.receive(.end(nil))
    guard case .success(let response)? = result else {
      throw ConnectionFailure(.malformed, "the response of \(origin.address) is too large")
    }
    return response
  }

  /// The open socket between two requests; `nil` if the connection is closed.
  var idleSocket: ClientSocket? { socket }

  /// Waits between two requests until there are bytes, a wake, or the end of the connection.
  ///
  /// - Returns: Whether there are bytes, or the server has closed the connection.
  func wait(for waker: Waker, milliseconds: Int64) -> Bool {
    if let socket { return socket.wait(for: waker, milliseconds: milliseconds) }
    waker.wait(milliseconds: milliseconds)
    return false
  }

  private func exchange(
    _ request: OutboundRequest, writtenFor time: Duration?, _ limit: (() -> Duration)?,
    _ receive: (TransportEvent) -> Bool
  ) throws(ConnectionFailure) {
    var reader = ResponseReader()
    if let socket, time != nil || socket.isIdle {
      do throws(ConnectionFailure) {
        if time == nil { try send(request, on: socket) }
        let rest = request.timeout - (time ?? .zero)
        return try receiveResponse(to: request, on: socket, within: rest, &reader, limit, receive)
      } catch {
        disconnect()
        guard error.reason == .closed, !reader.hasBegun, request.isRepeatable,
          !handle.isCancelled
        else { throw error }
      }
    }
    disconnect()
    let socket = try connect(request.timeout)
    do throws(ConnectionFailure) {
      try send(request, on: socket)
      try receiveResponse(
        to: request, on: socket, within: request.timeout, &reader, limit, receive)
    } catch {
      disconnect()
      throw error
    }
  }

  private func send(
    _ request: OutboundRequest, on socket: ClientSocket
  ) throws(ConnectionFailure) {
    set(request.timeout, of: socket)
    try socket.send(request.bytes)
  }

  // `time` limits the wait for the first byte, unless `limit` returns another time.
  private func receiveResponse(
    to request: OutboundRequest, on socket: ClientSocket, within time: Duration,
    _ reader: inout ResponseReader, _ limit: (() -> Duration)?,
    _ receive: (TransportEvent) -> Bool
  ) throws(ConnectionFailure) {
    while !reader.isComplete {
      set(limit?() ?? (reader.hasBegun ? request.timeout : time), of: socket)
      let count = try socket.receive(into: &buffer)
      let events: [TransportEvent]
      do throws(ResponseParser.Malformed) {
        events = try reader.read(buffer[..<count])
      } catch {
        throw ConnectionFailure(.malformed, "\(origin.address) does not respond with HTTP")
      }
      for event in events where !receive(event) { return disconnect() }
      guard count == 0, !reader.close() else { continue }
      throw ConnectionFailure(
        .closed,
        reader.hasHead
          ? "\(origin.address) closed the connection within a response"
          : "\(origin.address) does not respond with HTTP")
    }
    if !keepsConnection || !reader.keepsConnection { disconnect() }
  }

  private func set(_ limit: Duration, of socket: ClientSocket) {
    guard limit != self.limit else { return }
    self.limit = limit
    socket.limit(limit)
  }

  private func connect(_ timeout: Duration) throws(ConnectionFailure) -> ClientSocket {
    let socket = try ClientSocket(
      to: origin.address, timeout: min(timeout, Self.connectTimeout))
    guard handle.use(socket) else { throw ConnectionFailure(.closed, "the client was closed") }
    self.socket = socket
    limit = nil
    return socket
  }

  /// Closes the connection; the next request opens another one.
  func disconnect() {
    socket = nil
    handle.release()
  }
}

/// Ends a connection from any thread.
package final class ConnectionHandle: TransportConnection {
  private struct State: Sendable {
    var socket: ClientSocket?
    var isCancelled = false
  }

  private let state = Mutex(State())

  /// Creates the handle of one connection.
  package init() {}

  /// Whether ``cancel()`` was called.
  package var isCancelled: Bool { state.withLock { $0.isCancelled } }

  /// Ends the connection and prevents another one; idempotent.
  package func cancel() {
    let socket = state.withLock { state in
      state.isCancelled = true
      return state.socket
    }
    socket?.shutdown()
  }

  /// Records the connected socket; returns `false` if the handle was cancelled before.
  fileprivate func use(_ socket: ClientSocket) -> Bool {
    state.withLock { state in
      guard !state.isCancelled else { return false }
      state.socket = socket
      return true
    }
  }

  fileprivate func release() {
    state.withLock { $0.socket = nil }
  }
}
