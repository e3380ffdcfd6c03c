internal import ReactorHost
internal import ReactorLog
internal import Synchronization
internal import Telemetry

/// The earlier States of a projected session as one client sees them.
///
/// A version is shown as the client would have seen it then: by its audience in the State of that version. Versions
/// of which it sees nothing are left out.
final class ViewerHistory: Sendable {
  private let base: any SessionSource
  private let projector: StateProjector
  private let viewer: Viewer
  private let logger: Logger
  private let background: WorkerPool
  private let owner: WorkOwner
  /// Whether the error of a view is in the log: there is one line per stream.
  private let hasFailed = Atomic<Bool>(false)

  /// Creates the history of a stream.
  ///
  /// - Parameters:
  ///   - base: The session.
  ///   - projector: The projection of its reactor.
  ///   - viewer: The client.
  ///   - background: Creates the views, with other jobs in between.
  ///   - owner: The owner of these jobs.
  ///   - logger: Gets the error of a view.
  init(
    base: any SessionSource, projector: StateProjector, viewer: Viewer,
    background: WorkerPool, owner: WorkOwner, logger: Logger
  ) {
    self.base = base
    self.projector = projector
    self.viewer = viewer
    self.background = background
    self.owner = owner
    self.logger = logger
  }

  /// Begins to read the views after a version, see ``StateSource/replay(after:completion:)``.
  @Sendable func replay(
    after version: Int?, completion: @escaping HistoryCompletion<any StateReplay>
  ) {
    base.replay(after: version) { replay in
      completion(replay.map { ViewerReplay($0, of: self) })
    }
  }

  /// Returns what the client sees of a State, or `nil` for nothing.
  private func view(of state: CommittedState) -> CommittedState? {
    do {
      let state = try projector.read(state)
      return try state.audience(of: viewer).map { try state.view(for: $0) }
    } catch {
      if !hasFailed.exchange(true, ordering: .relaxed) {
        logger.projectionFailed(error, viewer.session, account: nil)
      }
      return nil
    }
  }

  /// Creates the views of States for one slice, and of the rest in later ones.
  ///
  /// - Parameters:
  ///   - states: The States.
  ///   - earlier: The views of the States before them.
  ///   - completion: Called with all views.
  fileprivate func createViews(
    of states: ArraySlice<CommittedState>, after earlier: [CommittedState] = [],
    completion: @escaping @Sendable ([CommittedState]) -> Void
  ) {
    var (rest, views, slice) = (states, earlier, WorkSlice())
    while let state = rest.popFirst() {
      if let view = view(of: state) { views.append(view) }
      if slice.isOver(after: state.json.count) { break }
    }
    guard !rest.isEmpty else { return completion(views) }
    enqueue { [self, rest, views] in createViews(of: rest, after: views, completion: completion) }
  }

  fileprivate func enqueue(_ job: @escaping WorkerPool.Job) {
    background.enqueue(for: owner, job)
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
        guard case .success(let read) = result else {
          completion(result)
          return proceed(false)
        }
        history.createViews(of: read[...]) { views in
          guard views.isEmpty, !read.isEmpty else {
            completion(.success(views))
            return proceed(false)
          }
          // Other jobs have their turn: the client may have seen nothing for many versions.
          history.enqueue { proceed(true) }
        }
      }
    }
  }
}
