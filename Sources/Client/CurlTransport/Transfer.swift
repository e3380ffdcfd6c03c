internal import CCurl
internal import ClientCore
internal import SystemThreads

/// One request and its response.
///
/// It belongs to the thread of its ``Transfers``.
final class Transfer {
  /// How a transfer uses connections.
  enum Kind {
    /// A request that shares connections, with HTTP/2 over TLS if the server has it.
    case request

    /// A response that arrives over a long time, on a connection of its own.
    case stream
  }

  /// The reaction of a recipient to a part of a response.
  enum Reception {
    /// Continue.
    case more

    /// Offer the part again after ``Transfers/resume(_:)``; only for bytes.
    case pause

    /// End the connection.
    case end
  }

  let handle: EasyHandle
  private let origin: HTTPOrigin
  private let timeout: Int64
  /// Called with each part of the response, one call at a time, and with its end.
  private let receive: (TransportEvent) -> Reception

  /// The number of times that the request may still be sent.
  private var attempts: Int
  private var reader = HeadReader()
  private var sent: Int64 = 0
  private var isPaused = false
  /// Whether `receive` has ended the transfer.
  private var isEndedByRecipient = false
  /// The reason for which the lines of the head were rejected.
  private var rejection: ConnectionFailure?

  /// When the transfer is considered dead unless a byte arrives before, in ``Clock/milliseconds``.
  var silentAt: Int64

  /// Whether `receive` was called with the end.
  private(set) var hasEnded = false

  /// The reason if the response is not complete, and was not ended by its recipient.
  private(set) var failure: ConnectionFailure?

  init(
    _ handle: EasyHandle, _ request: TransportRequest, _ origin: HTTPOrigin, isRepeatable: Bool,
    _ receive: @escaping (TransportEvent) -> Reception
  ) {
    self.handle = handle
    self.origin = origin
    self.receive = receive
    timeout = request.timeout.milliseconds
    attempts = isRepeatable ? .max : 1
    silentAt = Clock.milliseconds + timeout
  }

  /// When to check for silence; never during a pause, in which the recipient is the one that is slow.
  var deadline: Int64 { isPaused ? .max : silentAt }

  /// Whether the timeout has passed without a byte in either direction.
  func isSilent(now: Int64) -> Bool {
    guard now >= deadline else { return false }
    let count = handle.sent
    guard count != sent else { return true }
    sent = count
    silentAt = now + timeout
    return false
  }

  /// Continues after a pause.
  func resume() {
    guard isPaused, !hasEnded else { return }
    isPaused = false
    silentAt = Clock.milliseconds + timeout
    handle.resume()
  }

  /// Ends the transfer, whose handle libcurl does not use any more.
  func end(_ failure: ConnectionFailure?) {
    guard !hasEnded else { return }
    hasEnded = true
    self.failure = failure
    _ = receive(.end(failure?.problem))
  }

  /// Ends the transfer with a result of libcurl.
  func end(with code: CURLcode) {
    if code == CURLE_OK || isEndedByRecipient || rejection != nil { return end(rejection) }
    end(ConnectionFailure(code, origin, handle.message, hasHead: reader.isComplete))
  }

  /// Counts an attempt to send the request; returns `false` if it must not be sent.
  ///
  /// libcurl repeats any request, also one that is not safe to repeat, on another connection if a reused
  /// connection was closed without a response.
  fileprivate func begin() -> Bool {
    attempts -= 1
    return attempts >= 0
  }

  /// Receives a line of the head; returns the number of bytes, and any other number to end the transfer.
  fileprivate func receiveLine(_ line: [UInt8]) -> Int {
    silentAt = Clock.milliseconds + timeout
    do throws(HeadReader.Malformed) {
      guard let head = try reader.read(line) else { return line.count }
      guard receive(.head(head)) != .end else { return endByRecipient() }
      return line.count
    } catch {
      rejection = .noHTTP(origin)
      return -1
    }
  }

  /// Receives bytes of the body, as ``receiveLine(_:)``.
  fileprivate func receiveBytes(_ bytes: [UInt8]) -> Int {
    silentAt = Clock.milliseconds + timeout
    switch receive(.bytes(bytes)) {
    case .more: return bytes.count
    case .pause:
      isPaused = true
      return Int(CURL_WRITEFUNC_PAUSE)
    case .end: return endByRecipient()
    }
  }

  private func endByRecipient() -> Int {
    isEndedByRecipient = true
    return -1
  }
}

extension Transfer {
  /// The pointer that libcurl passes to ``receiveLine`` and ``receiveBytes``.
  ///
  /// `Transfers` retains the transfer until its handle is removed.
  var context: UnsafeMutableRawPointer { unsafe Unmanaged.passUnretained(self).toOpaque() }

  static let begin: curl_prereq_callback = { context, _, _, _, _ in
    guard let context = unsafe context else { return CURL_PREREQFUNC_ABORT }
    let transfer = unsafe Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
    return transfer.begin() ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
  }

  static let receiveLine: curl_write_callback = { bytes, size, count, context in
    guard let (transfer, bytes) = unsafe parts(bytes, size * count, context) else { return 0 }
    return transfer.receiveLine(bytes)
  }

  static let receiveBytes: curl_write_callback = { bytes, size, count, context in
    guard let (transfer, bytes) = unsafe parts(bytes, size * count, context) else { return 0 }
    return transfer.receiveBytes(bytes)
  }

  private static func parts(
    _ bytes: UnsafeMutablePointer<CChar>?, _ count: Int, _ context: UnsafeMutableRawPointer?
  ) -> (Transfer, [UInt8])? {
    guard let bytes = unsafe bytes, let context = unsafe context, count > 0 else { return nil }
    let buffer = unsafe UnsafeRawBufferPointer(start: bytes, count: count)
    return unsafe (Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue(), Array(buffer))
  }
}
