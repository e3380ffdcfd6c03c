internal import CCurl
internal import ClientCore
internal import SystemThreads

/// An easy handle of libcurl: the options and the state of one transfer at a time.
///
/// Its pointers are valid as long as the object, which belongs to the thread of its multi handle.
@safe final class EasyHandle {
  let pointer: UnsafeMutableRawPointer
  private let errors: UnsafeMutablePointer<CChar>
  private var fields: UnsafeMutablePointer<curl_slist>?

  /// Creates a handle, or returns `nil` without memory.
  init?() {
    guard let pointer = unsafe curl_easy_init() else { return nil }
    unsafe self.pointer = unsafe pointer
    unsafe errors = .allocate(capacity: Int(CURL_ERROR_SIZE))
    unsafe errors.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
  }

  deinit {
    unsafe curl_easy_cleanup(pointer)
    unsafe curl_slist_free_all(fields)
    unsafe errors.deallocate()
  }

  /// Identifies the handle among those of a multi handle.
  var key: Int { unsafe Int(bitPattern: pointer) }

  /// libcurl's message about the failure of the transfer; empty if it has none.
  var message: String { unsafe String(cString: errors) }

  /// The number of bytes of the body that were sent.
  var sent: Int64 { unsafe Int64(reactord_curl_sent(pointer)) }

  /// Sets all options for a request.
  ///
  /// - Parameters:
  ///   - request: The request, which is sendable.
  ///   - origin: The server.
  ///   - kind: Whether the connection is shared with other requests.
  ///   - limits: The time limits.
  ///   - context: The pointer that both functions receive.
  ///   - begin: Called before each attempt to send the request, which it can reject.
  ///   - head: Receives the lines of the head.
  ///   - body: Receives the bytes of the body.
  func prepare(
    _ request: TransportRequest, to origin: HTTPOrigin, _ kind: Transfer.Kind,
    _ limits: TransferLimits, context: UnsafeMutableRawPointer,
    begin: @escaping curl_prereq_callback, head: @escaping curl_write_callback,
    body: @escaping curl_write_callback
  ) {
    unsafe curl_easy_reset(pointer)
    unsafe errors[0] = 0
    unsafe reactord_curl_set_receiver(pointer, begin, head, body, context, errors)
    set(CURLOPT_NOSIGNAL, 1)
    unsafe reactord_curl_set_defaults(pointer)
    set(CURLOPT_URL, origin.url(request.path))
    set(CURLOPT_PATH_AS_IS, 1)
    if case .unix(let path) = origin.address { set(CURLOPT_UNIX_SOCKET_PATH, path) }
    // An empty name disables the proxies of the environment.
    if !origin.usesProxies { set(CURLOPT_PROXY, "") }
    set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
    if let file = limits.certificates { set(CURLOPT_CAINFO, file) }
    set(
      CURLOPT_CONNECTTIMEOUT_MS,
      max(1, Int(min(request.timeout, TransferLimits.connect).milliseconds)))
    switch kind {
    case .request:
      set(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_2TLS)
      set(CURLOPT_TIMEOUT_MS, Int((request.timeout + limits.total).milliseconds))
    case .stream:
      // A stream that is paused would stall the others of an HTTP/2 connection.
      set(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1)
      set(CURLOPT_FRESH_CONNECT, 1)
      set(CURLOPT_FORBID_REUSE, 1)
    }
    setFields(of: request)
    if let bytes = request.body {
      unsafe bytes.withUnsafeBytes {
        _ = unsafe reactord_curl_set_body(pointer, $0.baseAddress, curl_off_t($0.count))
      }
    }
    if request.method == "HEAD" {
      set(CURLOPT_NOBODY, 1)
    } else {
      set(CURLOPT_CUSTOMREQUEST, request.method)
    }
  }

  /// Continues the delivery of a transfer that was paused.
  func resume() {
    _ = unsafe curl_easy_pause(pointer, Int32(CURLPAUSE_CONT))
  }

  private func setFields(of request: TransportRequest) {
    unsafe curl_slist_free_all(fields)
    unsafe fields = nil
    for field in request.fields { append("\(field.name): \(field.value)", field.value.isEmpty) }
    // A name without a value removes the field that libcurl would add.
    for name in ["Accept", "Content-Type", "Expect"]
    where !request.fields.contains(where: { $0.name.lowercased() == name.lowercased() }) {
      append("\(name):", false)
    }
    _ = unsafe reactord_curl_set_fields(pointer, fields)
  }

  private func append(_ line: String, _ hasEmptyValue: Bool) {
    // libcurl writes a field without a value only if a semicolon stands for the colon.
    let line = hasEmptyValue ? line.dropLast(2) + ";" : line[...]
    unsafe fields = unsafe curl_slist_append(fields, String(line)) ?? fields
  }

  private func set(_ option: CURLoption, _ number: Int) {
    let code = unsafe reactord_curl_set_number(pointer, option, number)
    assert(code == CURLE_OK)
  }

  private func set(_ option: CURLoption, _ text: String) {
    let code = unsafe reactord_curl_set_text(pointer, option, text)
    assert(code == CURLE_OK)
  }
}
