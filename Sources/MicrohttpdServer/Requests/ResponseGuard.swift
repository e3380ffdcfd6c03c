internal import ReactorTransport

/// Responds to one request on behalf of the responder.
///
/// If the responder drops it without a response, the client gets a 500 and not a connection that
/// hangs.
final class ResponseGuard: Sendable {
  private let exchange: Exchange

  init(_ exchange: Exchange) { self.exchange = exchange }

  func respond(_ response: consuming HTTPResponse) { exchange.respond(response) }

  deinit { exchange.respondIfPending(HTTPResponse(status: 500)) }
}
