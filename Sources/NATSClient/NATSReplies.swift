internal import Synchronization

/// Receives the replies to requests and to published messages with one subscription.
///
/// The subject of a reply is a prefix and a number, which identifies the request. A request can be
/// repeated under its number.
public final class NATSReplies: Sendable {
  private let prefix: String
  private let subscription: NATSSubscription
  private let last = Atomic<UInt64>(0)

  /// Subscribes to `PREFIX.*`.
  ///
  /// - Parameters:
  ///   - connection: The connection.
  ///   - prefix: The prefix of the subjects; the number of a request follows it.
  ///   - receive: Called with the number of each reply, on the thread of the subscription. It must not
  ///     block, and ignores numbers that it does not know: a reply may be late or repeated.
  /// - Throws: If the connection is closed or the prefix is no subject.
  public init(
    _ connection: NATSConnection, prefix: String,
    receive: @escaping @Sendable (_ number: UInt64, NATSMessage) -> Void
  ) throws(NATSError) {
    self.prefix = prefix
    subscription = try connection.subscribe(to: "\(prefix).*") { message in
      guard let dot = message.subject.utf8.lastIndex(of: UInt8(ascii: ".")),
        let number = UInt64(message.subject[message.subject.utf8.index(after: dot)...])
      else { return }
      receive(number, message)
    }
  }

  /// A number for a request, never repeated.
  public func nextNumber() -> UInt64 { last.add(1, ordering: .relaxed).newValue }

  /// The subject for replies to a request.
  public func subject(of number: UInt64) -> String { "\(prefix).\(number)" }
}
