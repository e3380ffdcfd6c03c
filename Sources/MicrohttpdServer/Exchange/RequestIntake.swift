internal import Glibc
internal import ReactorHTTP

/// One request while it is read: what it said, checked as far as framing and limits go.
///
/// Pure: the worker thread feeds it what libmicrohttpd has parsed and asks it for a verdict.
struct RequestIntake: Sendable {
  /// Why a request goes no further.
  enum Refusal: Equatable {
    /// The framing is broken or ambiguous: a bare 400.
    case malformed
    case bodyTooLarge
    case headersTooLarge
  }

  let method: String
  let isHTTP10: Bool
  private var headers: [(name: HTTPHeader, value: String)] = []
  private var body: [UInt8] = []
  private var contentLength: UInt64?
  private var isChunked = false
  private var hosts = 0
  private var isMalformed = false

  init(method: String, isHTTP10: Bool) {
    self.method = method
    self.isHTTP10 = isHTTP10
    headers.reserveCapacity(6)
  }

  /// Whether the answer has a head only.
  var isHead: Bool { method == "HEAD" }

  /// Whether a body follows the fields.
  var expectsBody: Bool { isChunked || (contentLength ?? 0) > 0 }

  /// Takes one field, as it stood on its line.
  mutating func add(name: UnsafeBufferPointer<UInt8>, value: UnsafeBufferPointer<UInt8>) {
    switch unsafe RequestField.named(name) {
    case .header(let header):
      if header == .host { hosts += 1 }
      unsafe headers.append((header, Self.text(of: Self.trimmed(value))))
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
    guard bytes.count <= limits.body - body.count else {
      body = []
      return .bodyTooLarge
    }
    if body.isEmpty, let contentLength {
      // An announcement alone buys no more than this.
      body.reserveCapacity(min(Int(clamping: contentLength), 65_536))
    }
    unsafe body.append(contentsOf: bytes)
    return nil
  }

  /// The whole request; what it held is given away.
  mutating func finish(target: RequestTarget) -> HTTPRequest {
    let request = HTTPRequest(
      method: method, path: target.path, query: target.query, headers: headers, body: body,
      hasBody: isChunked || contentLength != nil)
    headers = []
    body = []
    return request
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
