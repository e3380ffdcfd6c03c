internal import Dispatch
internal import ReactorCoding
internal import ReactorCore
internal import ReactorLog
internal import Synchronization

/// Observes the commits of one session for the delegate of its reactor.
protocol CommitObserver: SessionObserver {
  /// Sets the state that precedes the first commit. Called once.
  func begin(from base: CommittedState)

  /// Whether the delegate has been called for all commits.
  ///
  /// A session is not evicted before, since the observer of the reloaded session would call the
  /// delegate at the same time.
  var isIdle: Bool { get }
}

typealias CommitObserverMaker = @Sendable (SessionKey) -> any CommitObserver

/// Calls a delegate on a thread of its own, one call at a time, with the newest State.
///
/// At most one commit is pending: a newer commit replaces it.
final class DelegateObserver<R: Reactor>: CommitObserver where R.State: Codable {
  private struct State {
    /// The State of the last call, or `nil` before ``begin(from:)``.
    var shown: CommittedState?
    var pending: CommittedState?
    /// Whether a thread calls the delegate.
    var isCalling = false
  }

  private let delegate: any ReactorDelegate<R>
  private let key: SessionKey
  private let state = Mutex(State())

  init(_ delegate: any ReactorDelegate<R>, of key: SessionKey) {
    self.delegate = delegate
    self.key = key
  }

  func begin(from base: CommittedState) {
    state.withLock { $0.shown = base }
    callIfIdle()
  }

  func sessionDidCommit(_ committed: CommittedState) {
    state.withLock { $0.pending = committed }
    callIfIdle()
  }

  func sessionDidEnd(_ end: SessionEnd) {}

  var isIdle: Bool { state.withLock { !$0.isCalling && $0.pending == nil } }

  private func callIfIdle() {
    let starts = state.withLock { state in
      guard state.pending != nil, state.shown != nil, !state.isCalling else { return false }
      state.isCalling = true
      return true
    }
    if starts { DelegateThreads.queue.async { self.call() } }
  }

  private func call() {
    while let (old, new) = next() {
      guard old.version < new.version,
        let before = try? JSONCoder.decode(R.State.self, from: old.json),
        let after = try? JSONCoder.decode(R.State.self, from: new.json)
      else { continue }
      delegate.didCommit(after, from: before, in: key)
    }
  }

  private func next() -> (old: CommittedState, new: CommittedState)? {
    state.withLock { state in
      guard let old = state.shown, let new = state.pending.take() else {
        state.isCalling = false
        return nil
      }
      state.shown = new
      return (old, new)
    }
  }
}

/// The threads that call delegates, which may block.
private enum DelegateThreads {
  static let queue = DispatchQueue(label: "host.delegates", attributes: .concurrent)
}
