internal import ReactorHost
internal import ReactorLog
internal import Synchronization

extension RemoteResult {
  /// The error of a call that reads the history.
  fileprivate var historyError: HistoryError {
    switch self {
    case .success(.history(let error), _): error
    case .failure(let error): .log(error)
    case .success: .log(.unavailable("The session cannot be read at its owner."))
    }
  }
}

/// The history, in pages from the owner.
extension RemoteSession {
  func state(at version: Int) async throws(HistoryError) -> CommittedState {
    let result = await node.call(.state(version: version), of: key)
    guard case .success(.states(let states), _) = result, let state = states.first else {
      throw result.historyError
    }
    return state
  }

  func entries(after version: Int, limit: Int) async throws(HistoryError) -> [LogEntry] {
    let result = await node.call(.entries(after: version, limit: limit), of: key)
    guard case .success(.entries(let entries), _) = result else { throw result.historyError }
    return entries
  }

  func replay(after version: Int?) async throws(HistoryError) -> any StateReplay {
    let first = try await states(after: version, limit: RemoteReplay.page)
    return RemoteReplay(self, first: first, after: version)
  }

  fileprivate func states(
    after version: Int?, limit: Int
  ) async throws(HistoryError) -> [CommittedState] {
    let result = await node.call(.states(after: version, limit: limit), of: key)
    guard case .success(.states(let states), _) = result else { throw result.historyError }
    return states
  }
}

/// Reads states page by page from the owner of a session, which folds each page from a snapshot.
private final class RemoteReplay: StateReplay {
  /// The number of states of the first page.
  static let page = 100
  /// The bounds of a later page, in states and in bytes.
  ///
  /// For each page the owner folds the log from the snapshot before it: up to 2,048 versions.
  private static let bound = (count: 1_000, size: 1 << 18)

  fileprivate struct State {
    /// The states that the owner has sent and that have not been read yet.
    var pending: ArraySlice<CommittedState>
    /// The version of the last state that was read.
    var version: Int?
    /// The number of states of the next page.
    var length = RemoteReplay.page
  }

  private let session: RemoteSession
  private let state: Mutex<State>

  init(_ session: RemoteSession, first: [CommittedState], after version: Int?) {
    self.session = session
    state = Mutex(State(pending: first[...], version: version))
  }

  func next(limit: Int) async throws(HistoryError) -> [CommittedState] {
    let (ready, version, length) = state.withLock { ($0.take(limit), $0.version, $0.length) }
    guard ready.isEmpty else { return ready }
    let page = try await session.states(after: version, limit: max(limit, length))
    let size = page.reduce(0) { $0 + $1.json.count } / max(1, page.count)
    return state.withLock { state in
      state.length = max(1, min(Self.bound.count, Self.bound.size / max(1, size)))
      state.pending = page[...]
      return state.take(limit)
    }
  }
}

extension RemoteReplay.State {
  /// Removes the first states.
  fileprivate mutating func take(_ limit: Int) -> [CommittedState] {
    let taken = Array(pending.prefix(limit))
    pending = pending.dropFirst(taken.count)
    if let last = taken.last { version = last.version }
    return taken
  }
}
