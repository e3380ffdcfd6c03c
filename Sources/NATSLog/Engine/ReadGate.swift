internal import ReactorStreams
internal import Synchronization

/// Bounds the number of concurrent reads of a stream; further reads wait in the order of their
/// requests.
///
/// A load or a page of a history needs hundreds of reads. A read that has no reply after 250 ms is
/// sent again. Without a bound, the loads of many sessions after the failure of a node would wait
/// for longer than that, and each repetition would delay them further.
final class ReadGate: Sendable {
  /// The bound of each stream of a process.
  static let perStream = 32

  private struct State {
    var free: Int
    var waiting = Fifo<CheckedContinuation<Void, Never>>()
  }

  private let state: Mutex<State>

  /// Creates a gate for a number of reads.
  init(_ bound: Int) {
    state = Mutex(State(free: bound))
  }

  /// Waits until the read may begin; ``end()`` follows.
  func begin() async {
    await withCheckedContinuation { continuation in
      let isFree = state.withLock { state in
        guard state.free > 0 else {
          state.waiting.append(continuation)
          return false
        }
        state.free -= 1
        return true
      }
      if isFree { continuation.resume() }
    }
  }

  /// The read has ended: the next one begins.
  func end() {
    let next = state.withLock { state in
      let next = state.waiting.popFirst()
      if next == nil { state.free += 1 }
      return next
    }
    next?.resume()
  }
}
