// Proof: only the thread that owns `queue` accesses `contents`. There is one owner at a time, and the
// queue's mutex orders its writes before the next owner's reads.
/// A value that is accessed only by the items of one serial queue: an actor for synchronous code,
/// which executes on the thread that posts an item.
@usableFromInline
package final class Mailbox<Item: Sendable, Contents: AnyObject>: @unchecked Sendable {
  @usableFromInline let contents: Contents
  @usableFromInline let queue = SerialQueue<Item>()

  /// Creates a mailbox that owns a value.
  @inlinable
  package init(_ contents: sending Contents) {
    self.contents = contents
  }

  /// The number of items that wait behind the one that is being handled.
  package var waitingCount: Int {
    queue.waitingCount
  }

  /// Whether the calling thread is handling an item.
  @inlinable
  package var isOwnedByCurrentThread: Bool {
    queue.isOwnedByCurrentThread
  }

  /// Handles an item, or enqueues it if another one is being handled.
  ///
  /// See ``SerialQueue/post(_:bound:handle:)``.
  @discardableResult
  @inlinable
  package func post(
    _ item: Item, bound: Int = .max, handle: (Contents, Item) -> Void
  ) -> Bool {
    queue.post(item, bound: bound) { handle(contents, $0) }
  }

  /// Calls a closure with the contents if no item is being handled.
  ///
  /// See ``SerialQueue/executeIfIdle(_:handle:)``.
  @inlinable
  package func executeIfIdle(_ body: (Contents) -> Void, handle: (Contents, Item) -> Void) -> Bool {
    queue.executeIfIdle({ body(contents) }, handle: { handle(contents, $0) })
  }

  /// Calls a closure with the contents if the calling thread is handling an item.
  ///
  /// - Returns: The result of the closure; otherwise `nil`.
  @inlinable
  package func ifOwned<Result>(_ body: (Contents) -> Result) -> Result? {
    queue.isOwnedByCurrentThread ? body(contents) : nil
  }
}
