internal import Glibc
internal import ReactorHTTP

/// One request while it is read: what it said, checked as far as framing and limits go.
///
/// Pure: the worker thread feeds it what libmicrohttpd has parsed and asks it for a verdict.
struct RequestIntake: ~Copyable, Sendable {
  /// Why a request goes no further.
  enum Refusal: Equatable {
    /// The framing is broken or ambiguous: a bare 400.
    case malformed
    case bodyTooLarge
    case headersTooLarge
  }

  // What was read so far.
  private let target: RequestTarget
  private var method = ""
  private var headers = HTTPRequestHeaders()
  private var body: [UInt8] = []

  /// Whether the answer has a head only.
  private(set) var isHead = false

  private var contentLength: UInt64?
  private var isChunked = false
  private var hosts = 0
  private var isMalformed = false

  /// Whether the client speaks HTTP/1.0, which has neither chunks nor hosts.
  private(set) var isHTTP10 = false

  /// Begins with what is known first.
  init(_ target: RequestTarget) {
    self.target = target
  }

  /// Takes the other parts of the request line.
  mutating func begin(method: String, isHTTP10: Bool) {
    self.method = method
    isHead = method == "HEAD"
    self.isHTTP10 = isHTTP10
  }

  /// Whether a body follows the fields.
  var expectsBody: Bool { isChunked || (contentLength ?? 0) > 0 }

  /// Takes one field, as it stood on its line.
  mutating func add(name: UnsafeBufferPointer<UInt8>, value: UnsafeBufferPointer<UInt8>) {
    switch unsafe RequestField.named(name) {
    case .header(let header):
      unsafe headers.append(header, Self.text(of: Self.trimmed(value)))
    case .host: hosts += 1
    case .contentLength:
      let length = unsafe UInt64(String(decoding: value, as: UTF8.self))
      // Two lengths that differ are the classic way to make two parsers disagree.
      if length == nil || (contentLength ?? length) != length { isMalformed = true }
      contentLength = length
    case .transferEncoding:
      // libmicrohttpd decodes exactly this one and would wait for the end of the connection on
      // any other.
      let isDecoded = unsafe value.elementsEqual("chunked".utf8) { $0 | 0x20 == $1 }
      if isChunked || !isDecoded { isMalformed = true }
      isChunked = true
    case nil:
      // White space before the colon: another way to hide a field from one of two parsers.
      guard let last = unsafe name.last, last > 0x20 else { return isMalformed = true }
    }
  }

  /// The verdict when all fields were added.
  func refusal(headSize: Int, limits: MicrohttpdServer.Settings.Limits) -> Refusal? {
    if isMalformed || (isChunked && contentLength != nil) { return .malformed }
    if hosts > 1 || (hosts == 0 && !isHTTP10) { return .malformed }
    if headSize > limits.headers { return .headersTooLarge }
    if let contentLength, contentLength > UInt64(clamping: limits.body) { return .bodyTooLarge }
    return nil
  }

  /// Takes a part of the body.
  mutating func append(
    _ bytes: UnsafeBufferPointer<UInt8>, limits: MicrohttpdServer.Settings.Limits
  ) -> Refusal? {
    let before = body.count
    guard bytes.count <= limits.body - before else {
      body = []
      return .bodyTooLarge
    }
    if before == 0, let contentLength {
      // An announcement alone buys no more than this.
      body.reserveCapacity(min(Int(clamping: contentLength), 65_536))
    }
    unsafe body.append(contentsOf: bytes)
    return nil
  }

  /// The request, as far as it was read.
  func request(from peer: ClientAddress?) -> HTTPRequest {
    HTTPRequest(
      method: method, path: target.path, query: target.query, headers: headers, body: body,
      hasBody: isChunked || contentLength != nil, peer: peer)
  }

  private static let usual: StaticString = "application/json"

  /// A value as a string; the one that nearly every request has is not made anew.
  private static func text(of value: Slice<UnsafeBufferPointer<UInt8>>) -> String {
    let bytes = unsafe UnsafeBufferPointer(rebasing: value)
    if bytes.count == usual.utf8CodeUnitCount, let start = bytes.baseAddress,
      unsafe memcmp(start, usual.utf8Start, bytes.count) == 0
    {
      return "application/json"
    }
    return unsafe String(decoding: bytes, as: UTF8.self)
  }

  private static func trimmed(
    _ value: UnsafeBufferPointer<UInt8>
  ) -> Slice<UnsafeBufferPointer<UInt8>> {
    var end = value.endIndex
    while end > 0, unsafe value[end - 1] == 0x20 || value[end - 1] == 0x09 { end -= 1 }
    return unsafe value[..<end]
  }
}
