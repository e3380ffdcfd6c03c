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
  /// Whether the error of a view is in the log: there is one line per stream.
  private let hasFailed = Atomic<Bool>(false)

  /// Creates the history of a stream.
  ///
  /// - Parameters:
  ///   - base: The session.
  ///   - projector: The projection of its reactor.
  ///   - viewer: The client.
  ///   - logger: Gets the error of a view.
  init(
    base: any SessionSource, projector: StateProjector, viewer: Viewer, logger: Logger
  ) {
    self.base = base
    self.projector = projector
    self.viewer = viewer
    self.logger = logger
  }

  /// Begins to read the views after a version, see ``StateSource/replay(after:)``.
  func replay(after version: Int?) async throws(HistoryError) -> any StateReplay {
    ViewerReplay(try await base.replay(after: version), of: self)
  }

  /// Returns what the client sees of a State, or `nil` for nothing.
  fileprivate func view(of state: CommittedState) -> CommittedState? {
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
}

private final class ViewerReplay: StateReplay {
  private let states: any StateReplay
  private let history: ViewerHistory

  init(_ states: any StateReplay, of history: ViewerHistory) {
    self.states = states
    self.history = history
  }

  /// Reads on while the client sees nothing, since an empty result is the end of the log.
  ///
  /// Other jobs have their turn after each ``WorkSlice`` and each read.
  func next(limit: Int) async throws(HistoryError) -> [CommittedState] {
    var views: [CommittedState] = []
    while case let read = try await states.next(limit: limit), !read.isEmpty {
      var slice = WorkSlice()
      for state in read {
        if let view = history.view(of: state) { views.append(view) }
        guard slice.isOver(after: state.json.count) else { continue }
        await Task.yield()
        slice = WorkSlice()
      }
      guard views.isEmpty else { break }
      // The client may have seen nothing for many versions.
      await Task.yield()
    }
    return views
  }
}
