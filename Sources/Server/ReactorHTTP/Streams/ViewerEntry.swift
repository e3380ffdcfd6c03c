internal import ReactorHost
internal import ReactorTransport
internal import Synchronization

/// A client with streams of one projected session, and what it sees at present; its streams share it.
final class ViewerEntry: Sendable {
  /// The audience of the client.
  enum Standing: Sendable {
    case sees(AudienceSource)

    case nothing

    /// Its audience is another one, whose view is not ready.
    case moving

    /// Its audience cannot be found, or is one too many: the client opens its streams again and gets the problem.
    case failed
  }

  private struct State {
    var standing: Standing
    var generation = 0
  }

  let viewer: Viewer

  /// The client's streams, woken when it sees something else.
  let group = StreamGroup()

  private let state: Mutex<State>

  init(_ viewer: Viewer, _ standing: Standing) {
    self.viewer = viewer
    state = Mutex(State(standing: standing))
  }

  /// The audience of the client, and the number of changes of it.
  ///
  /// A change is recorded before anything of its commit is published. An output that was read while the number
  /// was the same is therefore one that the client may see.
  var now: (standing: Standing, generation: Int) {
    state.withLock { ($0.standing, $0.generation) }
  }

  var generation: Int { state.withLock { $0.generation } }

  var standing: Standing { state.withLock { $0.standing } }

  /// Changes what the client sees, which begins a new generation.
  func change(to standing: Standing) {
    state.withLock { state in
      state.standing = standing
      state.generation += 1
    }
  }

  /// Ends ``Standing/moving``, which has begun the generation.
  func arrive(at standing: Standing) {
    state.withLock { $0.standing = standing }
  }
}
