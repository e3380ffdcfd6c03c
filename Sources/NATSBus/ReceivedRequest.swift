internal import Synchronization

/// A request of another process, until it has a reply, or is released without one.
final class ReceivedRequest: Sendable {
  private let number: UInt64
  private let outbox: Outbox
  private let start = ContinuousClock.now
  private let hasReply = Atomic<Bool>(false)

  /// Receives a request.
  ///
  /// - Parameters:
  ///   - number: The number of the request and of its reply.
  ///   - outbox: The outbox for replies to the process.
  init(_ number: UInt64, repliesIn outbox: Outbox) {
    self.number = number
    self.outbox = outbox
    outbox.begin()
  }

  deinit { if !hasReply.load(ordering: .relaxed) { outbox.end(since: start) } }

  /// Sends the reply; further replies are dropped.
  func reply(_ bytes: [UInt8]) {
    guard !hasReply.exchange(true, ordering: .relaxed) else { return }
    outbox.send(bytes, numbered: number)
    outbox.end(since: start)
  }
}
