internal import Synchronization

/// One of the streams that are combined, without its type.
protocol CombineLeg: Sendable {
  /// Whether this stream has something for the next combination.
  var isReady: Bool { get }

  /// Makes the element that arrived before all others that wait count.
  func admit()
}

/// What one of the streams that are combined has to give.
///
/// An element is put in as it comes and counts when its turn in the row of all streams has come.
final class ElementLeg<Element: Sendable>: CombineLeg {
  private struct State {
    var arrived = Fifo<Element>()
    var ready = Fifo<Element>()
  }

  private let state = Mutex(State())
  private let keepsLatestOnly: Bool

  init(keepsLatestOnly: Bool) {
    self.keepsLatestOnly = keepsLatestOnly
  }

  var isReady: Bool {
    state.withLock { !$0.ready.isEmpty }
  }

  /// The next element: the latest one, which stays, or the oldest one, which is taken out.
  var next: Element? {
    state.withLock { keepsLatestOnly ? $0.ready.last : $0.ready.popFirst() }
  }

  func put(_ element: Element) {
    state.withLock { $0.arrived.append(element) }
  }

  func admit() {
    _ = state.withLock { state -> Element? in
      guard let element = state.arrived.popFirst() else { return nil }
      defer { state.ready.append(element) }
      return keepsLatestOnly ? state.ready.popFirst() : nil
    }
  }
}
