internal import Synchronization

/// The end of a chain: calls a subscriber's closures and guards the grammar of events for them.
///
/// Disposing ends the source; it does not stop an event that the source is delivering already. That
/// is the source's matter: operators drop it, a subject finishes the round that it began.
@usableFromInline
final class TerminalSink<Element: Sendable>: ObserverType, Disposable {
  private let ended = Atomic<Bool>(false)
  private let upstream = DisposableSlot()
  private let handle: @Sendable (Event<Element>, TerminalSink) -> Void
  private let onDisposed: Mutex<(@Sendable () -> Void)?>

  /// Makes a sink.
  ///
  /// - Parameters:
  ///   - handle: Calls the subscriber; for the end it goes by ``end(_:)``.
  ///   - onDisposed: Called once, when the subscription has ended.
  @usableFromInline
  init(
    handle: @escaping @Sendable (Event<Element>, TerminalSink) -> Void,
    onDisposed: (@Sendable () -> Void)?
  ) {
    self.handle = handle
    self.onDisposed = Mutex(onDisposed)
  }

  /// Keeps what ends the subscription.
  @usableFromInline
  func hold(_ disposable: any Disposable) {
    upstream.set(disposable)
  }

  @usableFromInline
  func on(_ event: Event<Element>) {
    if !ended.load(ordering: .acquiring) { handle(event, self) }
  }

  /// Tells the subscriber of the end, unless there was one before.
  @usableFromInline
  func end(_ tell: () -> Void) {
    guard !ended.exchange(true, ordering: .acquiringAndReleasing) else { return }
    tell()
    dispose()
  }

  @usableFromInline
  func dispose() {
    upstream.dispose()
    onDisposed.withLock { $0.take() }?()
  }
}
