internal import ReactorHTTP

/// A responder that is one closure.
struct TestResponder: HTTPResponder {
  typealias Answer = HTTPAnswer
  let handle: @Sendable (HTTPRequest, @escaping Answer) -> Void

  init(_ handle: @escaping @Sendable (HTTPRequest, @escaping Answer) -> Void) {
    self.handle = handle
  }

  /// Answers each request at once with what it was.
  static var echo: TestResponder {
    TestResponder { request, answer in answer(.text(request.summary)) }
  }

  func respond(to request: HTTPRequest, answer: @escaping Answer) { handle(request, answer) }

  func refusal(of reason: HTTPRefusal, to request: HTTPRequest?) -> HTTPResponse {
    switch reason {
    case .bodyTooLarge(let limit): .text("body over \(limit)", status: 413)
    case .headersTooLarge(let limit): .text("headers over \(limit)", status: 431)
    case .tooManyConnections(let limit): .text("connections over \(limit)", status: 429)
    }
  }
}

extension HTTPResponse {
  /// A small body.
  static func text(_ text: String, status: Int = 200) -> HTTPResponse {
    HTTPResponse(
      status: status, headers: ["Content-Type": "text/plain"], body: .bytes(Array(text.utf8)))
  }

  /// A stream of events.
  static func stream(_ stream: any ByteStream) -> HTTPResponse {
    HTTPResponse(
      status: 200, headers: ["Content-Type": "text/event-stream"], body: .stream(stream))
  }
}

extension HTTPRequest {
  /// All of it in one line of text.
  var summary: String {
    let fields = headers.map { "\($0.name.name)=\($0.value)" }.joined(separator: ";")
    let body = body.count > 200 ? "\(body.count) bytes" : String(decoding: body, as: UTF8.self)
    return "\(method) \(path) ?\(query ?? "nil") \(hasBody) [\(body)] \(fields)"
  }
}
