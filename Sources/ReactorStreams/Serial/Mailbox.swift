// Proof: only the thread that owns `queue` is given `contents`. One does at a time, and the queue's
// mutex orders one owner's writes before the next owner's reads.
/// A value that only the items of one serial queue may touch: what an actor is to tasks, for code
/// that must run synchronously and on the thread that brings the work.
@usableFromInline
package final class Mailbox<Item: Sendable, Contents: AnyObject>: @unchecked Sendable {
  @usableFromInline let contents: Contents
  @usableFromInline let queue = SerialQueue<Item>()

  /// Makes a mailbox around a value that nobody else keeps.
  @inlinable
  package init(_ contents: sending Contents) {
    self.contents = contents
  }

  /// How many items wait behind the one that runs.
  package var waitingCount: Int {
    queue.waitingCount
  }

  /// Whether the calling thread is handling an item right now.
  @inlinable
  package var isOwnedByCurrentThread: Bool {
    queue.isOwnedByCurrentThread
  }

  /// Handles an item now, or leaves it to whoever runs.
  ///
  /// See ``SerialQueue/post(_:bound:handle:)``.
  @discardableResult
  @inlinable
  package func post(
    _ item: Item, bound: Int = .max, handle: (Contents, Item) -> Void
  ) -> Bool {
    queue.post(item, bound: bound) { handle(contents, $0) }
  }

  /// Runs a body with the contents if nobody handles an item right now.
  ///
  /// See ``SerialQueue/runIfFree(_:handle:)``.
  @inlinable
  package func runIfFree(_ body: (Contents) -> Void, handle: (Contents, Item) -> Void) -> Bool {
    queue.runIfFree({ body(contents) }, handle: { handle(contents, $0) })
  }

  /// Runs a body with the contents if the calling thread is handling an item right now.
  ///
  /// - Returns: What the body returned; `nil` where another thread runs, or none.
  @inlinable
  package func ifOwned<Result>(_ body: (Contents) -> Result) -> Result? {
    queue.isOwnedByCurrentThread ? body(contents) : nil
  }
}
