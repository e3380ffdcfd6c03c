public import Foundation
public import ReactorStreams

// Proof: the queue's methods are safe to call from any thread, and the properties are immutable.
/// Executes work as operations of a queue.
public struct OperationQueueScheduler: SchedulerType, @unchecked Sendable {
  /// The queue.
  public let operationQueue: OperationQueue

  /// The priority of the operations.
  public let queuePriority: Operation.QueuePriority

  /// Creates a scheduler on a queue.
  public init(operationQueue: OperationQueue, queuePriority: Operation.QueuePriority = .normal) {
    self.operationQueue = operationQueue
    self.queuePriority = queuePriority
  }

  /// The time since the clock's first use in the process.
  public var now: Duration {
    TaskScheduler.instance.now
  }

  /// Executes work as an operation, which is enqueued after the delay.
  ///
  /// - Returns: A disposable that cancels work that has not started.
  @discardableResult
  public func schedule(
    after delay: Duration, _ work: @escaping @Sendable () -> Void
  ) -> any Disposable {
    guard delay <= .zero else {
      return TaskScheduler.instance.scheduleRelative((), dueTime: delay) {
        schedule(after: .zero, work)
      }
    }
    let operation = BlockOperation()
    let canceled = BooleanDisposable()
    operation.addExecutionBlock { if !canceled.isDisposed { work() } }
    operation.queuePriority = queuePriority
    operationQueue.addOperation(operation)
    return canceled
  }
}
