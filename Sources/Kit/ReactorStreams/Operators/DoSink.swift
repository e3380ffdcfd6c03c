internal import Synchronization

/// The closures of ``ObservableType/do(onNext:afterNext:onError:afterError:onCompleted:afterCompleted:onSubscribe:onSubscribed:onDispose:)``.
struct SideEffects<Element: Sendable>: Sendable {
  let before: @Sendable (Event<Element>) throws -> Void
  let after: @Sendable (Event<Element>) throws -> Void
  let onSubscribe: (@Sendable () -> Void)?
  let onSubscribed: (@Sendable () -> Void)?
  let onDispose: (@Sendable () -> Void)?
}

/// Calls closures before and after each event, and a closure when the subscription has ended.
///
/// `onSubscribed` always precedes `onDispose`: if the source ends while it is being subscribed to,
/// `onDispose` is called when the subscription is set up.
final class DoSink<Element: Sendable>: SourceSink<Element>, ObserverType, Disposable,
  // Proof: the properties are constants that are safe to share.
  @unchecked Sendable
{
  private struct Subscription {
    var isSetUp = false
    var hasEnded = false
    var onDispose: (@Sendable () -> Void)?

    /// Returns `onDispose` once, when the subscription is set up and has ended.
    mutating func takeOnDispose() -> (@Sendable () -> Void)? {
      isSetUp && hasEnded ? onDispose.take() : nil
    }
  }

  private let downstream: any ObserverType<Element>
  private let effects: SideEffects<Element>
  private let stopped = Atomic<Bool>(false)
  private let subscription: Mutex<Subscription>

  init(_ downstream: any ObserverType<Element>, _ effects: SideEffects<Element>) {
    self.downstream = downstream
    self.effects = effects
    subscription = Mutex(Subscription(onDispose: effects.onDispose))
  }

  func attached(to source: Observable<Element>) -> any Disposable {
    effects.onSubscribe?()
    upstream.set(source.attach(self, emittingBy: self))
    effects.onSubscribed?()
    change { $0.isSetUp = true }
    return self
  }

  override var isStopped: Bool {
    stopped.load(ordering: .acquiring)
  }

  override func on(_ event: Event<Element>) {
    guard !stopped.load(ordering: .acquiring) else { return }
    do {
      try effects.before(event)
    } catch {
      return end(with: .error(error)) {}
    }
    if event.isStopEvent {
      // The stream has ended, so an error of `after` cannot be delivered.
      end(with: event) { try? effects.after(event) }
    } else {
      downstream.on(event)
      do { try effects.after(event) } catch { end(with: .error(error)) {} }
    }
  }

  func dispose() {
    let isEnding = stopped.exchange(true, ordering: .acquiringAndReleasing)
    upstream.dispose()
    if !isEnding { change { $0.hasEnded = true } }
  }

  private func end(with event: Event<Element>, _ after: () -> Void) {
    guard !stopped.exchange(true, ordering: .acquiringAndReleasing) else { return }
    downstream.on(event)
    after()
    upstream.dispose()
    change { $0.hasEnded = true }
  }

  private func change(_ change: (inout Subscription) -> Void) {
    let onDispose = subscription.withLock { subscription in
      change(&subscription)
      return subscription.takeOnDispose()
    }
    onDispose?()
  }
}
