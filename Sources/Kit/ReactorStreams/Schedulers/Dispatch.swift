// Files written for RxSwift use classes of service and queues without importing Dispatch, because
// UIKit exports it. Exporting the module also keeps the names unambiguous in files that import
// Foundation.
@_exported public import Dispatch

extension DispatchQoS {
  /// The corresponding priority of a task.
  var priority: TaskPriority {
    switch qosClass {
    case .background: .background
    case .utility: .utility
    case .userInitiated, .userInteractive: .high
    default: .medium
    }
  }
}

extension DispatchQueue {
  /// Executes work on this queue after a delay.
  ///
  /// - Returns: A disposable that cancels work that has not started.
  func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> any Disposable {
    let job = ScheduledJob(work)
    if delay > .zero {
      let (seconds, attoseconds) = delay.clamped.components
      let nanoseconds = Int(seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
      asyncAfter(deadline: .now() + .nanoseconds(nanoseconds)) { job.execute() }
    } else {
      async { job.execute() }
    }
    return job
  }
}
