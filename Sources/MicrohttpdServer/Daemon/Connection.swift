internal import CMicrohttpd
internal import Glibc
internal import ReactorHTTP

/// A connection of libmicrohttpd's, as a name that may be kept: an address, not a capability.
///
/// It names something from libmicrohttpd's telling that it was opened until that it was closed.
@safe struct Connection: Sendable {
  private let address: UInt

  init(_ pointer: OpaquePointer) { address = UInt(bitPattern: pointer) }

  private var pointer: OpaquePointer? { unsafe OpaquePointer(bitPattern: address) }

  /// The bytes of the request line and the header fields.
  var headSize: Int {
    guard let pointer = unsafe pointer else { return 0 }
    return Int(clamping: unsafe reactord_connection_head_size(pointer))
  }

  /// Takes the connection out of its worker's sight.
  ///
  /// Worker thread only.
  func suspend() {
    if let pointer = unsafe pointer { unsafe MHD_suspend_connection(pointer) }
  }

  /// Gives a suspended connection back to its worker.
  ///
  /// Worker thread only: without threads of its own, libmicrohttpd would not hear of it.
  func resume() {
    if let pointer = unsafe pointer { unsafe MHD_resume_connection(pointer) }
  }

  /// libmicrohttpd's descriptor of the connection's socket.
  var socket: Int32 {
    guard let pointer = unsafe pointer else { return -1 }
    return unsafe reactord_connection_socket(pointer)
  }

  /// The place in its worker's array; -1 when it was never given one.
  var place: Int {
    guard let pointer = unsafe pointer else { return -1 }
    return unsafe Int(bitPattern: reactord_connection_context(pointer)) - 1
  }

  /// A second descriptor of the connection's socket, which outlives libmicrohttpd's own; `nil`
  /// when the process has none left.
  func duplicateSocket() -> Int32? {
    let duplicate = fcntl(socket, F_DUPFD_CLOEXEC, 0)
    return duplicate < 0 ? nil : duplicate
  }

  /// Queues a response whose body is bytes.
  ///
  /// Worker thread only; false when libmicrohttpd refuses it, and the connection must then be
  /// closed.
  ///
  /// The body is copied, which spares keeping a Swift array alive for it: a box, a retain and a
  /// callback for each answer.
  func queue(_ answer: HTTPResponse) -> Bool {
    guard let pointer = unsafe pointer else { return false }
    let response = unsafe answer.body.withBytes { bytes in
      unsafe MHD_create_response_from_buffer(
        bytes.count, UnsafeMutableRawPointer(mutating: bytes.baseAddress), .RESPMEM_MUST_COPY)
    }
    guard let response = unsafe response else { return false }
    // The connection holds its own reference from `MHD_queue_response` on.
    defer { unsafe MHD_destroy_response(response) }
    unsafe answer.headers.forEachCString { name, value in
      // A name that could split the response is refused by libmicrohttpd and thereby left out.
      _ = unsafe MHD_add_response_header(response, name, value)
    }
    return unsafe MHD_queue_response(pointer, UInt32(clamping: answer.status), response) == .YES
  }

  /// Hands the header fields of the request to `body`, one after the other.
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

extension HTTPResponse.Body {
  /// Calls a function with the bytes, of which a stream has none.
  fileprivate func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    guard case .bytes(let bytes) = self else {
      return unsafe body(UnsafeRawBufferPointer(start: nil, count: 0))
    }
    return unsafe bytes.withUnsafeBytes(body)
  }
}
