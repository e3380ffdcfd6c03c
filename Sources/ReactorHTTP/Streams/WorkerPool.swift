internal import Dispatch
internal import ReactorStreams
internal import Synchronization

/// Runs work that would hold up a thread which others wait for: reading a disk, comparing large
/// states.
///
/// First come, first served, on a few threads, which are there only while there is work. A stream and
/// a channel bring their next work when the one before is done, so that no more waits than there are
/// of them.
final class WorkerPool: Sendable {
  typealias Work = @Sendable () -> Void

  private struct State {
    var waiting = Fifo<Work>()
    var running = 0
  }

  /// How many threads it takes.
  private let width: Int
  private let state = Mutex(State())
  private let threads = DispatchQueue(label: "streams.background", attributes: .concurrent)

  /// Makes a pool without threads: it takes them when there is work.
  ///
  /// - Parameter width: How many threads it takes; with none, who brings work does it.
  init(width: Int) {
    self.width = width
  }

  /// Runs work as soon as a thread is free for it.
  func run(_ work: @escaping Work) {
    guard width > 0 else { return work() }
    let needsThread = state.withLock { state in
      state.waiting.append(work)
      guard state.running < width else { return false }
      state.running += 1
      return true
    }
    if needsThread { threads.async { self.drain() } }
  }

  private func drain() {
    while let work = next() { work() }
  }

  private func next() -> Work? {
    state.withLock { state in
      guard let work = state.waiting.popFirst() else {
        state.running -= 1
        return nil
      }
      return work
    }
  }
}
