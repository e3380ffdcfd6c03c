internal import ReactorTransport
internal import Synchronization

/// Responds to one request on behalf of the responder.
///
/// If the responder drops it without a response, the client gets a 500 and not a connection that
/// hangs.
final class ResponseGuard: Sendable {
  private let exchange: Exchange
  private let hasResponded = Atomic<Bool>(false)

  init(_ exchange: Exchange) { self.exchange = exchange }

  func respond(_ response: consuming HTTPResponse) {
    hasResponded.store(true, ordering: .relaxed)
    exchange.respond(response)
  }

  deinit {
    if !hasResponded.load(ordering: .relaxed) {
      exchange.respondIfPending(HTTPResponse(status: 500))
    }
  }
}
