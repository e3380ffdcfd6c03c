internal import Synchronization

/// The end of a chain: calls a subscriber's closures and guards the grammar of events for them.
///
/// Disposing ends the source; it does not stop an event that the source is delivering already. That
/// is the source's matter: operators drop it, a subject finishes the round that it began.
final class TerminalSink<Element: Sendable>: ObserverType, Disposable {
  private let ended = Atomic<Bool>(false)
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
      guard !ended.exchange(true, ordering: .acquiringAndReleasing) else { return }
      handle(event)
      dispose()
    } else if !ended.load(ordering: .acquiring) {
      handle(event)
    }
  }

  func dispose() {
    upstream.dispose()
    onDisposed.withLock { $0.take() }?()
  }
}
