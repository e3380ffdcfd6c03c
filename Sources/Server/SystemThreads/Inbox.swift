public import Synchronization

/// A queue of messages from any thread to one owner thread.
///
/// The owner alternates between ``receive(into:)`` and sleeping. It announces its sleep with
/// ``prepareToSleep()``; only the first message after that wakes it, so a busy owner costs its
/// senders no system call.
///
/// Inlinable, and its type usable from inlined code, so that other modules can specialize it.
/// Otherwise each message would be copied through its metadata.
@usableFromInline
package final class Inbox<Message: Sendable>: Sendable {
  @usableFromInline struct State {
    @usableFromInline var messages: [Message] = []
    @usableFromInline var ownerSleeps = false
    @usableFromInline var isClosed = false

    @usableFromInline init() {}
  }

  @usableFromInline let state = Mutex(State())
  @usableFromInline let waker: any ThreadWaking

  /// Creates an empty inbox.
  ///
  /// - Parameter waker: Wakes the owner thread.
  @inlinable
  package init(waking waker: any ThreadWaking) {
    self.waker = waker
  }

  /// Appends a message, and wakes the owner if it sleeps.
  ///
  /// - Returns: `false` if the inbox is closed; the message is dropped then.
  @inlinable @discardableResult
  package func send(_ message: Message) -> Bool {
    let (isAccepted, mustWake) = state.withLock { state -> (Bool, Bool) in
      guard !state.isClosed else { return (false, false) }
      state.messages.append(message)
      defer { state.ownerSleeps = false }
      return (true, state.ownerSleeps)
    }
    if mustWake { waker.wake() }
    return isAccepted
  }

  /// Rejects messages from now on; those in the queue can still be received.
  @inlinable
  package func close() {
    let mustWake = state.withLock { state in
      state.isClosed = true
      defer { state.ownerSleeps = false }
      return state.ownerSleeps
    }
    if mustWake { waker.wake() }
  }

  /// Replaces the contents of an array by the queued messages, in the order in which they were sent.
  ///
  /// The queue receives the storage of the array, so that neither allocates again. Owner thread
  /// only.
  @inlinable
  package func receive(into messages: inout [Message]) {
    messages.removeAll(keepingCapacity: true)
    state.withLock { state in
      swap(&state.messages, &messages)
      state.ownerSleeps = false
    }
  }

  /// Requests a wake for the next message.
  ///
  /// Owner thread only.
  ///
  /// - Returns: `false` if there are messages, or the inbox is closed: the owner must not sleep.
  @inlinable
  package func prepareToSleep() -> Bool {
    state.withLock { state in
      state.ownerSleeps = state.messages.isEmpty && !state.isClosed
      return state.ownerSleeps
    }
  }

  /// Withdraws the request for a wake, because the owner woke for another reason.
  @inlinable
  package func cancelSleep() { state.withLock { $0.ownerSleeps = false } }

  /// Whether the inbox is closed and empty.
  @inlinable
  package var isFinished: Bool { state.withLock { $0.isClosed && $0.messages.isEmpty } }
}
