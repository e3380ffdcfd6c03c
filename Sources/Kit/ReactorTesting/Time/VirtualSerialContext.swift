package import ReactorStreams

/// The serial context of `MainScheduler` in tests, usually with virtual time.
package final class VirtualSerialContext: SerialContext {
  package let timer: any SchedulerType

  private let queue = SerialQueue<@Sendable () -> Void>()

  package init(timer: any SchedulerType) {
    self.timer = timer
  }

  package var isCurrent: Bool {
    queue.isOwnedByCurrentThread
  }

  package func enqueue(_ work: @escaping @Sendable () -> Void) {
    queue.post(work) { $0() }
  }
}
