internal import CMicrohttpd
internal import Glibc
internal import ReactorTransport

/// A connection of libmicrohttpd.
///
/// Valid between libmicrohttpd's opened and closed callbacks. The pointer is stored as an integer,
/// so that the type is `Sendable`.
@safe struct Connection: Sendable {
  private let address: UInt

  init(_ pointer: OpaquePointer) { address = UInt(bitPattern: pointer) }

  private var pointer: OpaquePointer? { unsafe OpaquePointer(bitPattern: address) }

  /// The size of the request line and the header fields, in bytes.
  var headSize: Int {
    guard let pointer = unsafe pointer else { return 0 }
    return Int(clamping: unsafe reactord_connection_head_size(pointer))
  }

  /// Stops processing the connection.
  ///
  /// Worker thread only.
  func suspend() {
    if let pointer = unsafe pointer { unsafe MHD_suspend_connection(pointer) }
  }

  /// Continues processing a suspended connection.
  ///
  /// Worker thread only: the call does not wake a daemon without threads of its own.
  func resume() {
    if let pointer = unsafe pointer { unsafe MHD_resume_connection(pointer) }
  }

  /// Causes the daemon to read and write the connection again, after `mayReceive` or `maySend`
  /// prevented it.
  ///
  /// - Parameter daemon: The epoll descriptor of the daemon.
  func reportAgain(in daemon: Int32) {
    if let pointer = unsafe pointer { unsafe reactord_report_again(daemon, socket, pointer) }
  }

  /// libmicrohttpd's descriptor of the socket.
  var socket: Int32 {
    guard let pointer = unsafe pointer else { return -1 }
    return unsafe reactord_connection_socket(pointer)
  }

  /// The index in its worker's array; -1 before it has one.
  var slot: Int {
    guard let pointer = unsafe pointer else { return -1 }
    return unsafe Int(bitPattern: reactord_connection_context(pointer)) - 1
  }

  /// Duplicates the descriptor of the socket, so that the socket stays open when libmicrohttpd
  /// closes its own descriptor.
  ///
  /// - Returns: `nil` if the process has no descriptors left.
  func duplicateSocket() -> Int32? {
    let duplicate = fcntl(socket, F_DUPFD_CLOEXEC, 0)
    return duplicate < 0 ? nil : duplicate
  }

  /// The minimum size of a body that is shared and not copied, in bytes.
  static let sharedSize = 65_536

  /// Queues a response whose body is bytes.
  ///
  /// Copies a small body, which is cheaper than a box, a retain and a callback. A large body is
  /// shared by all responses that send it, so that clients that do not read it do not hold a copy
  /// each. Worker thread only.
  ///
  /// - Returns: `false` if libmicrohttpd rejects the response; the connection must then be closed.
  func queue(_ response: HTTPResponse) -> Bool {
    guard let pointer = unsafe pointer else { return false }
    var body: [UInt8] = []
    if case .bytes(let bytes) = response.body { body = bytes }
    let queued =
      body.count < Self.sharedSize
      ? unsafe body.withUnsafeBytes { bytes in
        unsafe MHD_create_response_from_buffer(
          bytes.count, UnsafeMutableRawPointer(mutating: bytes.baseAddress), .RESPMEM_MUST_COPY)
      } : unsafe SharedBody(body).makeResponse()
    guard let queued = unsafe queued else { return false }
    // `MHD_queue_response` retains the response for the connection.
    defer { unsafe MHD_destroy_response(queued) }
    unsafe response.headers.forEachCString { name, value in
      // libmicrohttpd rejects a field that could split the response; it is omitted.
      _ = unsafe MHD_add_response_header(queued, name, value)
    }
    return unsafe MHD_queue_response(pointer, UInt32(clamping: response.status), queued) == .YES
  }

  /// Calls a C function with each header field of the request.
  func forEachHeader<Collector: ~Copyable>(
    into collector: inout Collector,
    _ body:
      @convention(c) (
        UnsafeMutableRawPointer?, MHD_ValueKind, UnsafePointer<CChar>?, Int, UnsafePointer<CChar>?,
        Int
      ) -> MHD_Result
  ) {
    guard let pointer = unsafe pointer else { return }
    unsafe withUnsafeMutablePointer(to: &collector) { collector in
      _ = unsafe MHD_get_connection_values_n(pointer, .HEADER_KIND, body, collector)
    }
  }
}

/// Keeps the bytes of a body alive until libmicrohttpd has sent them.
private final class SharedBody: Sendable {
  private let bytes: [UInt8]

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Creates a response that retains this object, and releases it when the response is destroyed.
  func makeResponse() -> OpaquePointer? {
    let retained = unsafe Unmanaged.passRetained(self)
    // Proof: the array is native, immutable and retained, so that its storage neither moves nor
    // changes; libmicrohttpd only reads it.
    let response = unsafe bytes.withUnsafeBytes { bytes in
      unsafe MHD_create_response_from_buffer_with_free_callback_cls(
        bytes.count, UnsafeMutableRawPointer(mutating: bytes.baseAddress),
        { context in
          if let context = unsafe context {
            unsafe Unmanaged<SharedBody>.fromOpaque(context).release()
          }
        }, retained.toOpaque())
    }
    if unsafe response == nil { unsafe retained.release() }
    return unsafe response
  }
}
