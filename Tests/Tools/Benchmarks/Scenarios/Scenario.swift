/// A benchmark scenario, selected by its name on the command line.
struct Scenario {
  let name: String
  let summary: String
  /// Whether a full run includes the scenario.
  var isPartOfAll = true
  let run: (Bench) async throws -> Void

  /// All scenarios, in the order of their execution.
  static var all: [Scenario] {
    [
      .posts, .authenticatedPosts, .identity, .postsBesideStreams, .idleStreams, .fanOut,
      .audiences, .compressedStreams, .largeState, .flood,
      .manySessions, .stalledReader,
      .sessionsAlive, .start, .restart, .recovery, .loading, .storedSessions, .growth,
      .durablePosts, .changes, .streams, .inProcess, .swiftClient, .flows,
      .sends, .timers, .presence, .cluster, .clusterScaling, .before,
    ]
  }
}
