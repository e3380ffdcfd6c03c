/// Executes work one item at a time: the counterpart, on a server, of an app's main thread.
@usableFromInline
package protocol SerialContext: AnyObject, Sendable {
  /// The clock and the timer of this context.
  var timer: any SchedulerType { get }

  /// Whether the calling thread is executing work of this context.
  var isCurrent: Bool { get }

  /// Executes work immediately if the context is idle, otherwise after the work that was enqueued
  /// before. Any thread can call this.
  func enqueue(_ work: @escaping @Sendable () -> Void)
}

extension SerialContext {
  /// The scheduler of real time.
  package var timer: any SchedulerType {
    TaskScheduler.instance
  }
}

/// The serial context that ``MainScheduler`` uses in the current task or thread.
@usableFromInline
package enum CurrentSerialContext {
  /// The current serial context.
  ///
  /// It is bound while a session's streams are subscribed to; tasks that they start inherit it.
  @TaskLocal package static var value: (any SerialContext)?

  /// The context in whose turns an operator with several sources handles their events; `nil`
  /// handles them on the emitting threads.
  ///
  /// The operator reads it when it is subscribed to. Without a context, if two threads emit at the
  /// same time, the first thread also delivers the event of the second thread. A context that
  /// attributes effects to its turns cannot allow that: it handles the event of another thread in a
  /// separate turn.
  @TaskLocal static var gathering: (any SerialContext)?

  /// Subscribes to streams of one context.
  ///
  /// All of their events are handled in the turns of the context.
  @usableFromInline
  package static func gatheringEvents(in context: any SerialContext, _ subscribe: () -> Void) {
    $value.withValue(context) {
      $gathering.withValue(context) { Trampoline.isolated(subscribe) }
    }
  }

  /// Executes a closure without a ``gathering`` context.
  ///
  /// For the subscription to a stream that several contexts share, whose events are handled on the
  /// emitting threads; and for the turns of a context, since its items can be handled during a
  /// subscription of another context, or by a task that inherits the binding of one.
  @inlinable
  package static func withoutGathering<Result>(_ body: () -> Result) -> Result {
    isGathering ? unbindingGathering(body) : body()
  }

  @usableFromInline static var isGathering: Bool { gathering != nil }

  @usableFromInline
  static func unbindingGathering<Result>(_ body: () -> Result) -> Result {
    $gathering.withValue(nil, operation: body)
  }

  /// The current context, or the context of the process if no context is bound.
  package static var orShared: any SerialContext {
    value ?? SharedSerialContext.instance
  }

  /// Executes a closure with a context as the current context, unless the context is `nil`.
  ///
  /// An operator uses it to subscribe to inner streams in the context of its own subscription,
  /// regardless of the thread.
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
