internal import Synchronization

/// The end of a chain: calls a subscriber's closures and guards the grammar of events for them.
final class TerminalSink<Element: Sendable>: ObserverType, Disposable {
  private let stopped = Atomic<Bool>(false)
  private let upstream = DisposableSlot()
  private let handle: @Sendable (Event<Element>) -> Void
  private let onDisposed: Mutex<(@Sendable () -> Void)?>

  init(
    handle: @escaping @Sendable (Event<Element>) -> Void,
    onDisposed: (@Sendable () -> Void)?
  ) {
    self.handle = handle
    self.onDisposed = Mutex(onDisposed)
  }

  /// Keeps what ends the subscription.
  func hold(_ disposable: any Disposable) {
    upstream.set(disposable)
  }

  func on(_ event: Event<Element>) {
    if event.isStopEvent {
      guard !stopped.exchange(true, ordering: .acquiringAndReleasing) else { return }
      handle(event)
      finish()
    } else if !stopped.load(ordering: .acquiring) {
      handle(event)
    }
  }

  func dispose() {
    stopped.store(true, ordering: .releasing)
    finish()
  }

  private func finish() {
    upstream.dispose()
    onDisposed.withLock { $0.take() }?()
  }
}
