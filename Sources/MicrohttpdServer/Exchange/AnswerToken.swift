internal import ReactorHTTP

/// The right to answer one request.
///
/// Dropped unused, it answers for whoever dropped it, so that a responder's mistake costs a 500 and
/// not a connection that hangs.
final class AnswerToken: Sendable {
  private let exchange: Exchange

  init(_ exchange: Exchange) { self.exchange = exchange }

  func answer(_ response: HTTPResponse) { exchange.answer(response) }

  deinit { exchange.answerIfForgotten() }
}
