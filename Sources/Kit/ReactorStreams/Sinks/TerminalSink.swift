internal import Synchronization

/// The end of a chain: calls a subscriber's closures and enforces the grammar of events.
///
/// Disposing cancels the source. An event that the source is delivering at the time depends on the
/// source: an operator drops it, a subject finishes its delivery.
///
/// The subscriber holds only the ``Subscription``, which releases the chain when the chain ends.
/// The closures are therefore retained until the subscription ends, even if the subscriber holds
/// the disposable longer.
@usableFromInline
final class TerminalSink<Element: Sendable>: ObserverType {
  @usableFromInline let handle: @Sendable (Event<Element>, TerminalSink) -> Void
  @usableFromInline let subscription: Subscription

  @inlinable
  init(
    _ subscription: Subscription,
    handle: @escaping @Sendable (Event<Element>, TerminalSink) -> Void
  ) {
    self.subscription = subscription
    self.handle = handle
  }

  /// Subscribes to a stream.
  ///
  /// - Parameters:
  ///   - source: The stream.
  ///   - onDisposed: Called once, when the subscription has ended.
  ///   - handle: Calls the subscriber. For a stop event, it must call ``end(_:)``.
  /// - Returns: A disposable that cancels the subscription.
  @inlinable
  static func subscribe(
    _ source: Observable<Element>, onDisposed: (@Sendable () -> Void)? = nil,
    handle: @escaping @Sendable (Event<Element>, TerminalSink) -> Void
  ) -> any Disposable {
    let subscription = Subscription(onDisposed: onDisposed)
    subscription.hold(source.attach(TerminalSink(subscription, handle: handle)))
    return subscription
  }

  @usableFromInline
  func on(_ event: Event<Element>) {
    if !subscription.hasEnded { handle(event, self) }
  }

  /// Delivers a stop event and releases the chain, unless the stream has already ended.
  @usableFromInline
  func end(_ deliver: () -> Void) {
    guard subscription.end() else { return }
    deliver()
    subscription.dispose()
  }
}

/// The disposable of a chain.
@usableFromInline
final class Subscription: Disposable {
  private let ended = Atomic<Bool>(false)
  private let upstream = DisposableSlot()
  private let onDisposed: Mutex<(@Sendable () -> Void)?>

  @usableFromInline
  init(onDisposed: (@Sendable () -> Void)?) {
    self.onDisposed = Mutex(onDisposed)
  }

  /// Whether a stop event was delivered.
  var hasEnded: Bool {
    ended.load(ordering: .acquiring)
  }

  /// Marks the stream as ended.
  ///
  /// - Returns: Whether it was not marked before.
  func end() -> Bool {
    !ended.exchange(true, ordering: .acquiringAndReleasing)
  }

  /// Stores the disposable of the chain's last operator.
  @usableFromInline
  func hold(_ disposable: any Disposable) {
    upstream.set(disposable)
  }

  @usableFromInline
  func dispose() {
    upstream.dispose()
    onDisposed.withLock { $0.take() }?()
  }
}
