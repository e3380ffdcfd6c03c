/// Executes work one item at a time: the counterpart, on a server, of an app's main thread.
@usableFromInline
package protocol SerialContext: AnyObject, Sendable {
  /// The clock and the timer of this context.
  var timer: any SchedulerType { get }

  /// Whether the calling thread is executing work of this context.
  var isCurrent: Bool { get }

  /// Executes work at once if the context is idle, otherwise afterwards. Any thread may call this.
  func enqueue(_ work: @escaping @Sendable () -> Void)
}

extension SerialContext {
  /// Real time.
  package var timer: any SchedulerType {
    TaskScheduler.instance
  }
}

/// The serial context that ``MainScheduler`` uses in the current task or thread.
@usableFromInline
package enum CurrentSerialContext {
  /// Bound while a session's streams are subscribed to; tasks that they start inherit it.
  @TaskLocal package static var value: (any SerialContext)?

  /// The context in which operators that were subscribed to while it was bound serialize the events
  /// of several streams; `nil` means on the emitting threads.
  ///
  /// By default, if two threads emit at the same time, the first one also delivers the event of the
  /// second. A context that attributes effects to its turns cannot allow that: it handles an event
  /// of another thread in a separate turn.
  @TaskLocal static var gathering: (any SerialContext)?

  /// Subscribes to streams that belong to one context and whose events are all handled in its turns.
  @usableFromInline
  package static func gatheringEvents(in context: any SerialContext, _ subscribe: () -> Void) {
    $value.withValue(context) {
      $gathering.withValue(context) { Trampoline.isolated(subscribe) }
    }
  }

  /// Subscribes to a stream that several contexts share, outside of the turns of any of them.
  static func sharing<Result>(_ subscribe: () -> Result) -> Result {
    gathering == nil ? subscribe() : $gathering.withValue(nil, operation: subscribe)
  }

  /// The bound context, or that of the process.
  package static var orShared: any SerialContext {
    value ?? SharedSerialContext.instance
  }

  /// Executes a closure in a context that was current earlier, unless it still is.
  ///
  /// An operator that subscribes to inner streams later does so in the context of its own
  /// subscription, regardless of the thread.
  static func restoring(_ context: (any SerialContext)?, _ body: () -> Void) {
    guard let context, context !== value else { return body() }
    $value.withValue(context, operation: body)
  }
}

/// The serial context of the process, for streams outside of a session.
final class SharedSerialContext: SerialContext {
  static let instance = SharedSerialContext()

  private let queue = SerialQueue<@Sendable () -> Void>()

  var isCurrent: Bool {
    queue.isOwnedByCurrentThread
  }

  func enqueue(_ work: @escaping @Sendable () -> Void) {
    queue.post(work) { $0() }
  }
}
