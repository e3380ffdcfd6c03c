import ReactorCluster
import ReactorCore
import ReactorHost
import ReactorLog
import Testing

/// Nodes of two releases, over one log.
struct RollingUpgradeTests {
  /// The types of a release that other nodes do not have.
  private final class BoardReactor<Mutation: Codable & Sendable>: Reactor {
    enum Action: Codable, Sendable { case put }
    struct State: Codable, Sendable { var count = 0 }

    let initialState = State()
    private let mutation: Mutation

    init(_ mutation: Mutation) { self.mutation = mutation }

    func mutate(action: Action) -> Observable<Mutation> { .just(mutation) }

    func reduce(state: State, mutation: Mutation) -> State { State(count: state.count + 1) }
  }

  private enum Former: String, Codable { case put }
  private enum Later: String, Codable { case put, moved }

  private static let former = ReactorRegistration("board", summary: "") {
    BoardReactor(Former.put)
  }
  private static let later = ReactorRegistration("board", summary: "") {
    BoardReactor(Later.moved)
  }

  /// Stores a session whose only entry the former release cannot read.
  private func store(_ key: SessionKey, in cluster: Cluster) async throws {
    let log = WriterLog(cluster.store, writer: "n0").session(key)
    let entry = LogEntry(
      version: 1, at: .now, action: nil, global: nil, mutation: Array(#""moved""#.utf8), by: nil)
    let batch = LogBatch([entry])
    try await log.create(epoch: "e", parameters: nil, replacesEnded: false)
    try await withCheckedContinuation { continuation in
      log.append(batch, to: "e", expecting: 0) { continuation.resume(returning: $0) }
    }.get()
  }

  // Different nodes own the sessions by their placement.
  @Test(arguments: 0..<6)
  func `a node that cannot read a session passes its requests to one that can`(number: Int)
    async throws
  {
    let cluster = try await Cluster(["n1", "n2", "n3"]) { name, _ in
      [name == "n2" ? Self.later : Self.former]
    }
    let key = SessionKey(reactor: "board", id: "b\(number)")
    try await store(key, in: cluster)
    for (index, member) in cluster.members.enumerated() {
      let outcome = try await member.host.post(#""put""#, to: key.id, of: "board")
      #expect(outcome.json == #"{"count":\#(index + 2)}"#, "\(outcome)")
      let shown = try await member.host.open(key.id, of: "board")
      #expect(shown.current.version == index + 2)
      try await wait { cluster.holders(of: key) == ["n2"] }
    }
  }

  @Test func `a session that no node can read is unreadable, and unchanged`() async throws {
    let cluster = try await Cluster { _, _ in [Self.former] }
    let key = SessionKey(reactor: "board", id: "b")
    try await store(key, in: cluster)
    for member in cluster.members {
      let error = await #expect(throws: SessionError.self) {
        try await member.host.open(key.id, of: "board")
      }
      guard case .log(.unreadable(1, _)) = error else {
        Issue.record("\(String(describing: error))")
        continue
      }
      if let outcome = await member.host.forward(#""put""#, to: key.id, of: "board") {
        guard case .notOpened(.log(.unreadable(1, _))) = outcome else {
          Issue.record("\(outcome)")
          continue
        }
      }
    }
    #expect(cluster.holders(of: key) == [])
  }
}
