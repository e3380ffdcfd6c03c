internal import CCurl
package import ClientCore
internal import Glibc
internal import SystemThreads

/// The limits of the transfers to a server.
package struct TransferLimits: Sendable {
  /// The longest time to open a connection, with the resolution of the name and the TLS handshake.
  static let connect = Duration.seconds(10)

  /// The longest time of a complete response, beyond the timeout of its request.
  package var total = Duration.seconds(600)

  /// The file with the certificates of the trusted authorities, or `nil` for the system's.
  ///
  /// The default is the environment variable `SSL_CERT_FILE`, which OpenSSL reads as well.
  package var certificates: String? = unsafe getenv("SSL_CERT_FILE").map {
    unsafe String(cString: $0)
  }

  /// Creates the default limits.
  package init() {}
}

/// The transfers to one server that a thread performs with libcurl, and their connections.
///
/// Connections stay open between requests. Redirects are not followed.
@safe package final class Transfers {
  private let origin: HTTPOrigin
  private let limits: TransferLimits
  private let connections: Int
  /// `nil` without memory.
  private let multi: UnsafeMutableRawPointer?
  private var transfers: [Int: Transfer] = [:]
  private var idleHandles: [EasyHandle] = []

  private static let isInitialized: Bool = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

  /// Creates an object without connections.
  ///
  /// - Parameters:
  ///   - origin: The server.
  ///   - limits: The limits.
  ///   - connections: The number of connections that stay open between requests.
  package init(
    to origin: HTTPOrigin, limits: TransferLimits = TransferLimits(), connections: Int = 4
  ) {
    self.origin = origin
    self.limits = limits
    self.connections = max(1, connections)
    unsafe multi = Self.isInitialized ? curl_multi_init() : nil
    if let multi = unsafe multi {
      _ = unsafe reactord_curl_multi_set_number(
        multi, CURLMOPT_MAXCONNECTS, self.connections)
    }
  }

  deinit {
    guard let multi = unsafe multi else { return }
    for transfer in transfers.values {
      unsafe curl_multi_remove_handle(multi, transfer.handle.pointer)
    }
    unsafe curl_multi_cleanup(multi)
  }

  /// Whether no transfer has begun that has not ended.
  var isEmpty: Bool { transfers.isEmpty }

  /// Wakes the thread of this object, or returns `nil` if the process has no descriptors left.
  var wake: TransferWake? { unsafe multi.flatMap { unsafe TransferWake($0) } }

  // MARK: Complete exchanges

  /// Sends a request and passes on its response; blocks until its end.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - isRepeatable: Whether the request uses a connection that is open, and leaves one open; it is sent again if
  ///     that one was closed. Otherwise it has a connection of its own.
  ///   - limit: Returns the longest time to wait for the next bytes, called before each wait, or `nil`
  ///     for the timeout of the request.
  ///   - receive: Receives the head and the parts of the body; returns `false` to end the connection
  ///     before the end of the response, which is no failure.
  /// - Throws: A failure if there is no complete response.
  package func exchange(
    _ request: TransportRequest, isRepeatable: Bool = false,
    waitingAtMost limit: @escaping () -> Duration, receive: @escaping (TransportEvent) -> Bool
  ) throws(ConnectionFailure) {
    let transfer = try start(
      request, isRepeatable ? .request : .stream, isRepeatable: isRepeatable || request.isRepeatable
    ) { event in
      if case .end = event { return .more }
      return receive(event) ? .more : .end
    }
    try perform(transfer, limit)
  }

  /// Sends a request and waits for the complete response, of at most 64 MiB.
  ///
  /// - Throws: As ``exchange(_:waitingAtMost:receive:)``, and if the body is larger.
  package func response(
    to request: TransportRequest
  ) throws(ConnectionFailure) -> TransportResponse {
    var collector = ResponseCollector()
    var result: Result<TransportResponse, Problem>?
    let transfer = try start(request, .request) { event in
      result = collector.receive(event) ?? result
      return result == nil ? .more : .end
    }
    try perform(transfer, nil)
    guard case .success(let response)? = result else {
      throw ConnectionFailure(.malformed, "the response of \(origin.address) is too large")
    }
    return response
  }

  private func perform(
    _ transfer: Transfer, _ limit: (() -> Duration)?
  ) throws(ConnectionFailure) {
    while true {
      perform()
      guard !transfer.hasEnded else { break }
      if let limit { transfer.silentAt = Clock.milliseconds + limit().milliseconds }
      wait(milliseconds: .max)
    }
    if let failure = transfer.failure { throw failure }
  }

  // MARK: Steps

  /// Begins a transfer.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - kind: Whether the connection is shared with other requests.
  ///   - isRepeatable: Whether the request is sent again if a connection was closed without a response, or `nil` if its
  ///     method decides.
  ///   - receive: Receives the parts of the response in order, and then its end, within the other calls.
  /// - Returns: The transfer.
  /// - Throws: A failure if the request cannot be sent; `receive` is not called then.
  func start(
    _ request: TransportRequest, _ kind: Transfer.Kind, isRepeatable: Bool? = nil,
    _ receive: @escaping (TransportEvent) -> Transfer.Reception
  ) throws(ConnectionFailure) -> Transfer {
    guard request.isSendable else {
      throw ConnectionFailure(
        .invalidRequest, "its path, a header field or the access token contains a control character"
      )
    }
    guard let multi = unsafe multi, let handle = idleHandles.popLast() ?? EasyHandle() else {
      throw .noResources
    }
    let transfer = Transfer(
      handle, request, origin, isRepeatable: isRepeatable ?? request.isRepeatable, receive)
    unsafe handle.prepare(
      request, to: origin, kind, limits, context: transfer.context, begin: Transfer.begin,
      head: Transfer.receiveLine, body: Transfer.receiveBytes)
    guard unsafe curl_multi_add_handle(multi, handle.pointer) == CURLM_OK else {
      throw .noResources
    }
    transfers[handle.key] = transfer
    return transfer
  }

  /// Ends a transfer, unless it has ended.
  func cancel(_ transfer: Transfer) {
    guard !transfer.hasEnded else { return }
    remove(transfer)
    transfer.end(.cancelled)
  }

  /// Ends all transfers.
  func cancelAll() {
    for transfer in Array(transfers.values) { cancel(transfer) }
  }

  /// Does everything that is possible without waiting.
  func perform() {
    guard let multi = unsafe multi else { return }
    var count: Int32 = 0
    _ = unsafe curl_multi_perform(multi, &count)
    var ended: [(Transfer, CURLcode)] = []
    var code = CURLE_OK
    while let handle = unsafe reactord_curl_next_ended(multi, &code) {
      if let transfer = transfers[Int(bitPattern: handle)] { ended.append((transfer, code)) }
    }
    for (transfer, code) in ended {
      remove(transfer)
      transfer.end(with: code)
    }
    let now = Clock.milliseconds
    for transfer in transfers.values.filter({ $0.isSilent(now: now) }) {
      remove(transfer)
      transfer.end(.silent(origin))
    }
  }

  /// Waits until there is something to do: bytes, a wake, a timeout, or the end of a time.
  func wait(milliseconds: Int64) {
    guard let multi = unsafe multi else { return }
    let now = Clock.milliseconds
    let next = transfers.values.map { $0.deadline }.min() ?? .max
    let time = max(0, min(milliseconds, next - now))
    _ = unsafe curl_multi_poll(multi, nil, 0, Int32(clamping: time), nil)
  }

  private func remove(_ transfer: Transfer) {
    guard let multi = unsafe multi else { return }
    transfers[transfer.handle.key] = nil
    unsafe curl_multi_remove_handle(multi, transfer.handle.pointer)
    if idleHandles.count < connections { idleHandles.append(transfer.handle) }
  }
}

/// Wakes the thread that waits in ``Transfers/wait(milliseconds:)``, from any thread.
@safe struct TransferWake: Sendable {
  // Proof: `curl_multi_wakeup` may be called by any thread while the handle exists. The owner of the
  // handle withdraws this value, under the lock of its users, before it frees the handle.
  private nonisolated(unsafe) let multi: UnsafeMutableRawPointer

  /// Creates a value, and wakes the thread once, or returns `nil` if libcurl cannot wake threads, because the
  /// process had no descriptors left.
  fileprivate init?(_ multi: UnsafeMutableRawPointer) {
    guard unsafe curl_multi_wakeup(multi) == CURLM_OK else { return nil }
    unsafe self.multi = unsafe multi
  }

  func callAsFunction() {
    _ = unsafe curl_multi_wakeup(multi)
  }
}
