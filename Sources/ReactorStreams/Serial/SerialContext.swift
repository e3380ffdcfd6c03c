/// Where work runs one piece at a time: what a main thread is to an app, a session is here.
@usableFromInline
package protocol SerialContext: AnyObject, Sendable {
  /// The clock and the timer of this context.
  var timer: any SchedulerType { get }

  /// Whether the calling thread runs work of this context right now.
  var isCurrent: Bool { get }

  /// Runs work now where nothing runs, and otherwise when what runs is done. Any thread may call.
  func perform(_ work: @escaping @Sendable () -> Void)
}

extension SerialContext {
  /// Real time.
  package var timer: any SchedulerType {
    TaskScheduler.instance
  }
}

/// The serial context that ``MainScheduler`` means for the code that runs now.
@usableFromInline
package enum CurrentSerialContext {
  /// Bound by whoever runs a session's streams; tasks that they start inherit it.
  @TaskLocal package static var value: (any SerialContext)?

  /// Where operators put the events of several streams in a row, for streams that are subscribed to
  /// while it is bound; `nil` for the thread that has the turn.
  ///
  /// Where one thread emits while another one does, the first takes the second one's event along, and
  /// what follows happens on a thread that has nothing to do with it. A context that must know what
  /// each of its turns has caused takes events from other threads in as turns of their own instead.
  @TaskLocal static var gathering: (any SerialContext)?

  /// Subscribes to streams that belong to a context and nobody else, and whose events are all to come
  /// in its turns.
  @usableFromInline
  package static func gatheringEvents(in context: any SerialContext, _ subscribe: () -> Void) {
    $value.withValue(context) {
      $gathering.withValue(context, operation: subscribe)
    }
  }

  /// Subscribes to a stream that others may share, so that it must not depend on one context's turns.
  static func sharing<Result>(_ subscribe: () -> Result) -> Result {
    gathering == nil ? subscribe() : $gathering.withValue(nil, operation: subscribe)
  }

  /// The bound one, or that of the process.
  package static var orShared: any SerialContext {
    value ?? SharedSerialContext.instance
  }

  /// Runs a body in a context that was current before, unless that still is.
  ///
  /// An operator that subscribes to a stream late does it with the context of its own subscription,
  /// on whatever thread the element came that made it.
  static func restoring(_ context: (any SerialContext)?, _ body: () -> Void) {
    guard let context, context !== value else { return body() }
    $value.withValue(context, operation: body)
  }
}

/// The serial context of a process: for streams that no session runs.
final class SharedSerialContext: SerialContext {
  static let instance = SharedSerialContext()

  private let queue = SerialQueue<@Sendable () -> Void>()

  var isCurrent: Bool {
    queue.isOwnedByCurrentThread
  }

  func perform(_ work: @escaping @Sendable () -> Void) {
    queue.post(work) { $0() }
  }
}
