internal import ReactorStreams

/// What `MainScheduler` means while a test scheduler runs: work at once and in order, in virtual
/// time.
final class VirtualSerialContext: SerialContext {
  let timer: any SchedulerType

  private let queue = SerialQueue<@Sendable () -> Void>()

  init(timer: any SchedulerType) {
    self.timer = timer
  }

  var isCurrent: Bool {
    queue.isOwnedByCurrentThread
  }

  func perform(_ work: @escaping @Sendable () -> Void) {
    queue.post(work) { $0() }
  }
}
