internal import Synchronization

/// Replies of requests that the test completes.
final class PendingReplies: Sendable {
  private let replies = Mutex<[TestResponder.Reply]>([])
  private let arrivals = Signal()

  func add(_ reply: @escaping TestResponder.Reply) {
    replies.withLock { $0.append(reply) }
    arrivals.send()
  }

  /// Whether no request waits for its reply.
  var isEmpty: Bool { replies.withLock { $0.isEmpty } }

  /// Returns the next reply, as soon as its request arrives, or `nil` after the timeout.
  func next() -> TestResponder.Reply? {
    guard arrivals.wait() else { return nil }
    return replies.withLock { $0.isEmpty ? nil : $0.removeFirst() }
  }
}
