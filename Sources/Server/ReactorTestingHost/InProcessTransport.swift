public import ClientCore
internal import Dispatch
public import ReactorCore
internal import ReactorHTTP
public import ReactorHost
internal import ReactorStreams
internal import ReactorTransport
internal import Synchronization

/// A transport to a host in the same process, without sockets.
///
/// Requests follow the same HTTP contract as over a network: encoding, idempotency keys,
/// problems, streams and patches are those of the service.
public final class InProcessTransport: ClientTransport {
  private let api: Mutex<ReactorAPI>
  private let principal: Principal?
  private let context: VirtualSerialContext?
  private let queue = DispatchQueue(label: "in-process-transport")

  /// Creates a transport to a host.
  ///
  /// - Parameters:
  ///   - host: The host.
  ///   - principal: The principal of the requests, which delegates and reactors read, or `nil` for
  ///     anonymous requests.
  public convenience init(host: Host, as principal: Principal? = nil) {
    self.init(host: host, as: principal, in: nil)
  }

  /// Creates a transport whose requests are executed in a serial context with virtual time.
  init(host: Host, as principal: Principal?, in context: VirtualSerialContext?) {
    self.principal = principal
    self.context = context
    api = Mutex(Self.api(of: host, principal, waitsForEffects: context != nil))
  }

  private static func api(
    of host: Host, _ principal: Principal?, waitsForEffects: Bool
  ) -> ReactorAPI {
    var settings = ReactorAPI.Settings()
    settings.principal = principal
    // The wait is in real time, which a test with virtual time does not depend on.
    if waitsForEffects { settings.actionWait = .seconds(3600) }
    return ReactorAPI(host: host, settings: settings)
  }

  /// Continues with another host; the streams of the former one end with its sessions.
  func reconnect(to host: Host) {
    let next = Self.api(of: host, principal, waitsForEffects: context != nil)
    api.withLock { $0 = next }
  }

  /// Sends a request and receives the complete response; that to a stream when it has ended.
  public func send(
    _ request: TransportRequest,
    completion: @escaping @Sendable (Result<TransportResponse, Problem>) -> Void
  ) {
    let collector = Mutex(ResponseCollector())
    _ = open(request) { event in
      if let result = collector.withLock({ $0.receive(event) }) { completion(result) }
    }
  }

  /// Sends a request and receives its response as it arrives.
  public func open(
    _ request: TransportRequest, receive: @escaping @Sendable (TransportEvent) -> Void
  ) -> any TransportConnection {
    let connection = InProcessConnection(receive)
    queue.async { [self] in
      let api = api.withLock { $0 }
      CurrentSerialContext.$value.withValue(context ?? CurrentSerialContext.value) {
        api.respond(to: HTTPRequest(request)) { response in
          receive(.head(TransportHead(response)))
          switch response.body {
          case .empty: receive(.end(nil))
          case .bytes(let body):
            receive(.bytes(body))
            receive(.end(nil))
          case .stream(let stream): connection.pull(stream)
          }
        }
      }
    }
    return connection
  }

  /// Does nothing: the host continues until it is released.
  public func close() {}
}

/// A connection that pulls the output of one stream in the process.
private final class InProcessConnection: TransportConnection, StreamWaking {
  private struct State {
    var stream: (any ByteStream)?
    var isCancelled = false
  }

  private let receive: @Sendable (TransportEvent) -> Void
  private let queue = DispatchQueue(label: "in-process-stream")
  private let state = Mutex(State())

  init(_ receive: @escaping @Sendable (TransportEvent) -> Void) {
    self.receive = receive
  }

  /// Passes the output of a stream to `receive` until the stream ends.
  func pull(_ stream: any ByteStream) {
    let isCancelled = state.withLock { state in
      state.stream = stream
      return state.isCancelled
    }
    for group in stream.groups { group.add(self) }
    queue.async { [self] in if isCancelled { finish() } else { pullPending() } }
  }

  func wake(_ group: StreamGroup) {
    queue.async { [self] in pullPending() }
  }

  func cancel() {
    state.withLock { $0.isCancelled = true }
    queue.async { [self] in finish() }
  }

  private func pullPending() {
    while let stream = state.withLock({ $0.isCancelled ? nil : $0.stream }) {
      switch stream.next() {
      case .chunk(let chunk): receive(.bytes(Array(chunk.framed[chunk.payload])))
      case .idle: return
      case .finished:
        finish()
        return receive(.end(nil))
      }
    }
  }

  private func finish() {
    guard let stream = state.withLock({ $0.stream.take() }) else { return }
    for group in stream.groups { group.remove(self) }
    stream.closed()
  }
}

extension HTTPRequest {
  fileprivate convenience init(_ request: TransportRequest) {
    var headers = HTTPRequestHeaders()
    for field in request.fields {
      let header = HTTPHeader.allCases.first { "\($0.name)" == field.name.lowercased() }
      if let header { headers.append(header, field.value) }
    }
    headers.append(.host, "localhost")
    let parts = request.path.split(separator: "?", maxSplits: 1)
    self.init(
      method: request.method, path: "/" + (parts.first.map(String.init) ?? ""),
      query: parts.count > 1 ? String(parts[1]) : nil, headers: headers,
      body: request.body ?? [], hasBody: request.body != nil)
  }
}

extension TransportHead {
  fileprivate init(_ response: borrowing HTTPResponse) {
    self.init(
      status: response.status, fields: response.headers.map { (name: $0.name, value: $0.value) })
  }
}
