internal import Synchronization

/// Delivers the events of several threads one at a time and enforces their grammar.
package final class SerialSink<Element: Sendable>: ObserverType, Disposable {
  private let downstream: any ObserverType<Element>
  private let turns = SerialTurns()
  private let stopped = Atomic<Bool>(false)
  private let upstream = DisposableSlot()

  package init(_ downstream: any ObserverType<Element>) {
    self.downstream = downstream
  }

  /// Whether the stream has ended or was disposed of.
  package var isStopped: Bool {
    stopped.load(ordering: .acquiring)
  }

  /// The context in whose turns the events are delivered.
  var context: (any SerialContext)? {
    turns.context
  }

  package func hold(_ disposable: any Disposable) {
    upstream.set(disposable)
  }

  package func on(_ event: Event<Element>) {
    guard !stopped.load(ordering: .acquiring) else { return }
    if !turns.handleIfFree({ deliver(event) }) { turns.enqueue { self.deliver(event) } }
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
