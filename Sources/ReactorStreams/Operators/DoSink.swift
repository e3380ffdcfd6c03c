internal import Synchronization

/// What ``ObservableType/do(onNext:afterNext:onError:afterError:onCompleted:afterCompleted:onSubscribe:onSubscribed:onDispose:)``
/// calls beside events.
struct SideEffects<Element: Sendable>: Sendable {
  let before: @Sendable (Event<Element>) throws -> Void
  let after: @Sendable (Event<Element>) throws -> Void
  let onDispose: (@Sendable () -> Void)?
}

/// Calls closures beside each event, and one when the subscription has ended, which is the last.
final class DoSink<Element: Sendable>: ObserverType, Disposable {
  private let downstream: any ObserverType<Element>
  private let effects: SideEffects<Element>
  private let stopped = Atomic<Bool>(false)
  private let disposal: Mutex<(@Sendable () -> Void)?>
  private let upstream = DisposableSlot()

  init(_ downstream: any ObserverType<Element>, _ effects: SideEffects<Element>) {
    self.downstream = downstream
    self.effects = effects
    disposal = Mutex(effects.onDispose)
  }

  func run(_ source: some ObservableType<Element>) -> any Disposable {
    upstream.set(source.subscribe(self))
    return self
  }

  func on(_ event: Event<Element>) {
    guard !stopped.load(ordering: .acquiring) else { return }
    do {
      try effects.before(event)
    } catch {
      return end(with: .error(error)) {}
    }
    if event.isStopEvent {
      // What is thrown after the end has nobody left to be told.
      end(with: event) { try? effects.after(event) }
    } else {
      downstream.on(event)
      do { try effects.after(event) } catch { end(with: .error(error)) {} }
    }
  }

  func dispose() {
    let isEnding = stopped.exchange(true, ordering: .acquiringAndReleasing)
    upstream.dispose()
    if !isEnding { disposal.withLock { $0.take() }?() }
  }

  private func end(with event: Event<Element>, _ after: () -> Void) {
    guard !stopped.exchange(true, ordering: .acquiringAndReleasing) else { return }
    downstream.on(event)
    after()
    upstream.dispose()
    disposal.withLock { $0.take() }?()
  }
}
