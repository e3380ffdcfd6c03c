/// An ``Inbox`` whose owner thread waits for nothing else.
///
/// Inlinable like ``Inbox``, so that the messages are not copied through their metadata.
@usableFromInline
package final class BlockingInbox<Message: Sendable>: Sendable {
  @usableFromInline let semaphore: Semaphore
  @usableFromInline let inbox: Inbox<Message>

  /// Creates an empty inbox.
  @inlinable
  package init() {
    semaphore = Semaphore()
    inbox = Inbox(waking: semaphore)
  }

  /// Appends a message.
  ///
  /// - Returns: `false` if the inbox is closed; the message is dropped then.
  @inlinable
  package func send(_ message: Message) -> Bool { inbox.send(message) }

  /// Rejects messages from now on; those in the queue can still be received.
  @inlinable
  package func close() { inbox.close() }

  /// Removes and returns all messages.
  ///
  /// Owner thread only.
  ///
  /// - Parameter seconds: How long to block while there are no messages.
  /// - Returns: The messages in the order in which they were sent, or `nil` once the inbox is closed and
  ///   empty.
  @inlinable
  package func receive(waiting seconds: Int) -> [Message]? {
    var messages: [Message] = []
    inbox.receive(into: &messages)
    if messages.isEmpty, seconds > 0, inbox.prepareToSleep() {
      semaphore.wait(seconds: seconds)
      inbox.receive(into: &messages)
    }
    return messages.isEmpty && inbox.isFinished ? nil : messages
  }
}
