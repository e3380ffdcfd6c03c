internal import ReactorStreams

/// The serial context of `MainScheduler` in tests, usually with virtual time.
final class VirtualSerialContext: SerialContext {
  let timer: any SchedulerType

  private let queue = SerialQueue<@Sendable () -> Void>()

  init(timer: any SchedulerType) {
    self.timer = timer
  }

  var isCurrent: Bool {
    queue.isOwnedByCurrentThread
  }

  func enqueue(_ work: @escaping @Sendable () -> Void) {
    queue.post(work) { $0() }
  }
}
