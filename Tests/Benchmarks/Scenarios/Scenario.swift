/// Something that the benchmarks measure, by its name on the command line.
struct Scenario {
  let name: String
  let summary: String
  /// Whether it belongs to a run of all, or is done only where it is named.
  var isPartOfAll = true
  let run: (Bench) async throws -> Void

  /// All of them, in their order.
  static var all: [Scenario] {
    [
      .posts, .postsBesideStreams, .idleStreams, .fanOut, .flood, .manySessions, .stalledReader,
      .sessionsAlive, .start, .loading, .storedSessions, .growth,
      .durablePosts, .streams, .inProcess,
    ]
  }
}
