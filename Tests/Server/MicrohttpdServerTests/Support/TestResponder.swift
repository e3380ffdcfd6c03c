internal import ReactorTransport

/// A responder made of closures.
struct TestResponder: HTTPResponder {
  typealias Reply = HTTPReply
  let handle: @Sendable (HTTPRequest, @escaping Reply) -> Void
  var admission: @Sendable (HTTPRequest) -> HTTPAdmission = { _ in .accept(nil) }
  var lane: @Sendable (HTTPRequest) -> HTTPLane = { _ in .immediate }

  init(_ handle: @escaping @Sendable (HTTPRequest, @escaping Reply) -> Void) {
    self.handle = handle
  }

  /// Responds to each request at once with its summary.
  static var echo: TestResponder {
    TestResponder { request, reply in reply(.text(request.summary)) }
  }

  func respond(to request: HTTPRequest, reply: @escaping HTTPReply) { handle(request, reply) }

  func admit(_ head: HTTPRequest) -> HTTPAdmission { admission(head) }

  func lane(for request: HTTPRequest) -> HTTPLane { lane(request) }

  func rejection(for reason: HTTPRejection, of request: HTTPRequest?) -> HTTPResponse {
    switch reason {
    case .bodyTooLarge(let limit): .text("body over \(limit)", status: 413)
    case .headersTooLarge(let limit): .text("headers over \(limit)", status: 431)
    case .tooManyBodies(let limit): .text("bodies over \(limit)", status: 503)
    case .tooManyConnections(let limit), .tooManyConnectionsOfAddress(let limit):
      .text("connections over \(limit)", status: 429)
    case .tooManyStreams(let limit): .text("streams over \(limit)", status: 503)
    case .noConnectionLeft: .text("no connection left", status: 503)
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
  /// The request in one line of text.
  var summary: String {
    let fields = headers.map { "\($0.name.name)=\($0.value)" }.joined(separator: ";")
    let body = body.count > 200 ? "\(body.count) bytes" : String(decoding: body, as: UTF8.self)
    return "\(method) \(path) ?\(query ?? "nil") \(hasBody) [\(body)] \(fields)"
  }
}
