internal import Synchronization

/// Delivers the events of several threads one at a time and enforces their grammar.
package final class SerialSink<Element: Sendable>: ObserverType, Disposable {
  private let downstream: any ObserverType<Element>
  private let events = SerialQueue<Event<Element>>()
  private let stopped = Atomic<Bool>(false)
  private let upstream = DisposableSlot()
  private let context = CurrentSerialContext.gathering

  package init(_ downstream: any ObserverType<Element>) {
    self.downstream = downstream
  }

  package func hold(_ disposable: any Disposable) {
    upstream.set(disposable)
  }

  package func on(_ event: Event<Element>) {
    guard !stopped.load(ordering: .acquiring) else { return }
    if let context, !context.isCurrent {
      context.perform { self.events.post(event, handle: self.deliver) }
    } else {
      events.post(event, handle: deliver)
    }
  }

  private func deliver(_ event: Event<Element>) {
    if event.isStopEvent {
      guard !stopped.exchange(true, ordering: .acquiringAndReleasing) else { return }
      downstream.on(event)
      upstream.dispose()
    } else if !stopped.load(ordering: .acquiring) {
      downstream.on(event)
    }
  }

  package func dispose() {
    stopped.store(true, ordering: .releasing)
    upstream.dispose()
  }
}
