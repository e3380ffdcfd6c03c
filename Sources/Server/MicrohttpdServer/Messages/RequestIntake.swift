internal import ReactorTransport
internal import Shares

/// Collects one request and checks its size.
///
/// Pure: the worker thread adds what libmicrohttpd has parsed, after `RequestScanner` has checked the
/// framing.
struct RequestIntake: ~Copyable, Sendable {
  /// Why a request is rejected before its body was read.
  enum Rejection: Equatable {
    case bodyTooLarge
    case headersTooLarge
    /// The client has its share of the bytes of all bodies.
    case tooManyBufferedBytes
    /// The client has its share of the connections.
    case tooManyConnections
    /// The connection is reserved for priority requests.
    case noConnectionLeft
  }

  private let target: RequestTarget
  private var method = ""
  private var headers = HTTPRequestHeaders()
  /// The head, or `nil` until all fields were added.
  ///
  /// The head of a substitute is set by `begin`, to the head of the former request.
  private var head: HTTPRequestHead?
  private var body: [UInt8] = []

  /// Whether the response has no body.
  private(set) var isHead = false

  /// The field `Authorization` of the connection's former request.
  private var formerAuthorization: AuthorizationField?

  private var contentLength: UInt64?
  private var isChunked = false

  /// Whether the client speaks HTTP/1.0, which has no chunks.
  private(set) var isHTTP10 = false

  /// Creates an intake for a target, which libmicrohttpd reports before the rest of the request.
  init(_ target: RequestTarget) {
    self.target = target
  }

  /// Adds the method and the version of the request line, before the header fields.
  ///
  /// - Parameters:
  ///   - method: The method.
  ///   - isHTTP10: Whether the client speaks HTTP/1.0.
  ///   - former: The field `Authorization` of the connection's former request.
  mutating func begin(
    method: String, isHTTP10: Bool, formerAuthorization former: AuthorizationField? = nil
  ) {
    self.method = method
    formerAuthorization = former
    isHead = method == "HEAD"
    self.isHTTP10 = isHTTP10
  }

  /// Whether the head is a substitute for the head of the connection's former request.
  var isRepetition: Bool { target.isSubstitute }

  /// Adds the other parts of the request line of a substitute, and the head of the former request,
  /// which the substitute stands for.
  ///
  /// - Returns: `false` without a former request: the scanner did not create this substitute.
  mutating func begin(method: String, isHTTP10: Bool, repeating former: HTTPRequestHead?) -> Bool {
    guard let former else { return false }
    begin(method: method, isHTTP10: isHTTP10)
    head = former
    return true
  }

  /// The head that was admitted, and the token of its admission.
  private var admitted: (head: HTTPRequest, token: (any HTTPAdmissionToken)?)?

  /// The number of bytes of the body so far.
  private(set) var bodySize = 0

  /// The account of the request's client, if it differs from that of the connection.
  var account: Account?

  /// Whether the request has a place in the table of connections, because its connection has none.
  var isCounted = false

  /// Records that the head was admitted.
  mutating func admit(_ head: HTTPRequest, _ token: (any HTTPAdmissionToken)?) {
    admitted = (head, token)
  }

  /// Whether a body follows the fields.
  var expectsBody: Bool { isChunked || (contentLength ?? 0) > 0 }

  /// Adds a header field.
  mutating func add(name: UnsafeBufferPointer<UInt8>, value: UnsafeBufferPointer<UInt8>) {
    switch unsafe RequestField.named(name) {
    case .header(.authorization):
      headers.append(
        unsafe AuthorizationField.make(Self.trimmed(value), orSame: formerAuthorization))
    case .header(let header):
      unsafe headers.append(header, bytes: Self.trimmed(value))
    case .contentLength: contentLength = unsafe Self.number(value)
    case .transferEncoding: isChunked = true
    case nil: break
    }
  }

  /// The field `Authorization` for the connection's next request, or `nil` without one, or for one that is
  /// too long to be retained.
  var retainedAuthorization: AuthorizationField? {
    guard let field = headers.authorization,
      field.value.utf8.count <= AuthorizationField.retainedSize
    else { return nil }
    return field
  }

  /// Returns the head, after all its fields were added.
  mutating func completeHead(from peer: ClientAddress?, _ account: Account?) -> HTTPRequestHead {
    if let head { return head }
    let complete = HTTPRequestHead(
      method: WireText(method), path: WireText(target.path),
      query: target.query.map { WireText($0) }, headers: headers,
      hasBody: isChunked || contentLength != nil, peer: peer, account: account)
    head = complete
    return complete
  }

  /// Checks the head after all its fields were added.
  func rejection(headSize: Int, limits: MicrohttpdServer.Settings.Limits) -> Rejection? {
    if headSize > limits.headers { return .headersTooLarge }
    if let contentLength, contentLength > UInt64(clamping: limits.body) { return .bodyTooLarge }
    return nil
  }

  /// Appends a part of the body.
  mutating func append(
    _ bytes: UnsafeBufferPointer<UInt8>, limits: MicrohttpdServer.Settings.Limits
  ) -> Rejection? {
    guard bytes.count <= limits.body - bodySize else { return .bodyTooLarge }
    if bodySize == 0, let contentLength {
      // Reserve at most 64 KiB: a client can announce a large body and never send it.
      body.reserveCapacity(min(Int(clamping: contentLength), 65_536))
    }
    unsafe body.append(contentsOf: bytes)
    bodySize += bytes.count
    return nil
  }

  /// Removes and returns the request: the admitted or complete head, and the body that was read so
  /// far.
  ///
  /// The body is moved out of the intake, because a copy would be retained and released once more.
  mutating func takeRequest(from peer: ClientAddress?, _ account: Account?) -> HTTPRequest {
    var body: [UInt8] = []
    swap(&body, &self.body)
    if let (head, token) = admitted.take() {
      return .completing(head, body: body, admission: token)
    }
    return HTTPRequest(completeHead(from: peer, account), body: body)
  }

  /// Parses a decimal number, or returns `nil` if it is invalid or exceeds 64 bits.
  private static func number(_ digits: UnsafeBufferPointer<UInt8>) -> UInt64? {
    var number: UInt64 = 0
    for index in digits.indices {
      let digit = unsafe digits[index] &- UInt8(ascii: "0")
      let (product, overflows) = number.multipliedReportingOverflow(by: 10)
      let (sum, carries) = product.addingReportingOverflow(UInt64(digit))
      guard digit < 10, !overflows, !carries else { return nil }
      number = sum
    }
    return digits.isEmpty ? nil : number
  }

  private static func trimmed(
    _ value: UnsafeBufferPointer<UInt8>
  ) -> UnsafeBufferPointer<UInt8> {
    var end = value.endIndex
    while end > 0, unsafe value[end - 1] == 0x20 || value[end - 1] == 0x09 { end -= 1 }
    return unsafe UnsafeBufferPointer(rebasing: value[..<end])
  }
}
