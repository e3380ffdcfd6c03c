internal import ReactorHost
internal import ReactorLog
internal import Synchronization
internal import Telemetry

/// The earlier States of a projected session as one client sees them.
///
/// A version is shown as the client would have seen it then: by its audience in the State of that version. Versions
/// of which it sees nothing are left out.
struct ViewerHistory: Sendable {
  let base: any SessionSource
  let projector: StateProjector
  let viewer: Viewer
  let logger: Logger

  /// Begins to read the views after a version, see ``StateSource/replay(after:completion:)``.
  @Sendable func replay(
    after version: Int?, completion: @escaping HistoryCompletion<any StateReplay>
  ) {
    base.replay(after: version) { replay in
      completion(replay.map { ViewerReplay($0, of: self) })
    }
  }

  /// Returns what the client sees of a State, or `nil` for nothing.
  fileprivate func view(of state: CommittedState) -> CommittedState? {
    do {
      let state = try projector.read(state)
      return try state.audience(of: viewer).map { try state.view(for: $0) }
    } catch {
      logger.projectionFailed(error, viewer.session, account: nil)
      return nil
    }
  }
}

private final class ViewerReplay: StateReplay {
  private let states: any StateReplay
  private let history: ViewerHistory

  init(_ states: any StateReplay, of history: ViewerHistory) {
    self.states = states
    self.history = history
  }

  /// Reads on while the client sees nothing, since an empty result is the end of the log.
  func next(limit: Int, completion: @escaping HistoryCompletion<[CommittedState]>) {
    SerialAsyncQueue().loop { [states, history] proceed in
      states.next(limit: limit) { result in
        let views = result.map { $0.compactMap { history.view(of: $0) } }
        if case .success(let read) = result, !read.isEmpty, (try? views.get())?.isEmpty == true {
          return proceed(true)
        }
        completion(views)
        proceed(false)
      }
    }
  }
}
