import ReactorHost
import ReactorLog
import Testing

@testable import ReactorCluster

/// The lists of a session that another node owns, and of the sessions of all nodes.
struct RemoteListTests {
  @Test func `effects are listed at any node`() async throws {
    let cluster = try await Cluster()
    let slow = SessionKey(reactor: "slow", id: "demo")
    let owner = try cluster.owner(of: slow)
    let session = try await cluster.others(than: owner)[0].host.open(slow.id, of: "slow")
    for number in 1...3 {
      try session.submit(
        Array(#"{"addLater":\#(number)}"#.utf8), ifAt: nil, key: nil, for: nil, accepted: nil
      ) { _ in }
    }
    try await wait { owner.host.reactor("slow")?.liveSession(slow.id)?.activity.running == 3 }
    for limit in [2, 10] {
      let effects = try await session.effects(after: nil, limit: limit)
      let actions = effects.map { String(decoding: $0.action ?? [], as: UTF8.self) }
      #expect(actions == (1...min(3, limit)).map { #"{"addLater":\#($0)}"# })
    }
  }

  /// The log has a version after that of the copy in memory.
  ///
  /// It names the owner as the last writer, so that the owner keeps its copy if a delayed claim makes
  /// it ask the log.
  @Test func `a list has the position of the log if the copy in memory is older`() async throws {
    let cluster = try await Cluster()
    let key = SessionKey(reactor: "counter", id: "demo")
    let owner = try cluster.owner(of: key)
    let others = cluster.others(than: owner)
    let recorder = Recorder()
    try await recorder.observe(key.id, at: owner.host)
    _ = try await owner.host.post(#""increase""#, to: key.id)
    let copy = try await owner.host.open(key.id)
    let process = WriterLog(cluster.store, writer: owner.node.node.name).session(key)
    let entry = LogEntry(
      version: 2, at: .now, action: nil, mutation: Array(#"{"change":{"by":1}}"#.utf8))
    try await withCheckedThrowingContinuation { continuation in
      process.append(LogBatch([entry]), to: copy.epoch, expecting: 1) {
        continuation.resume(with: $0)
      }
    }
    for member in others {
      let reactor = try #require(member.host.reactor(key.reactor))
      var listed: [SessionSummary] = []
      // A list does not wait long for a node that the machine does not schedule.
      for attempt in 0..<20_000 where listed.first?.node == nil {
        if attempt > 0 { try await Task.sleep(for: .milliseconds(5)) }
        listed = try await reactor.sessions(after: nil, limit: 10)
      }
      #expect(listed.map(\.cursor) == [Cursor(epoch: copy.epoch, version: 2)])
      #expect(listed.map(\.lastActiveAt) == [entry.at])
      #expect(listed.map(\.subscribers) == [1])
      #expect(listed.map(\.node) == [owner.node.node.name])
    }
    #expect(copy.current.version == 1)
  }

  // MARK: Several summaries of one session

  private func summary(
    _ version: Int, of epoch: String = "one", at time: Int64? = nil, subscribers: Int = 0,
    node: String? = nil
  ) -> SessionSummary {
    SessionSummary(
      id: "demo", cursor: Cursor(epoch: epoch, version: version), subscribers: subscribers,
      lastActiveAt: Timestamp(milliseconds: time ?? Int64(version)), node: node)
  }

  private func merge(_ listed: [SessionSummary], _ live: [SessionSummary]) -> [SessionSummary] {
    SessionSummary.merge(listed, live)
  }

  @Test func `the latest copy counts, whatever the order of the nodes`() {
    let stale = summary(3, subscribers: 2, node: "n2")
    let owners = summary(6, subscribers: 1, node: "n3")
    for stored in [[], [summary(5)], [summary(6)]] {
      #expect(merge(stored, [stale, owners]) == [owners])
      #expect(merge(stored, [owners, stale]) == [owners])
    }
    // This node may be the one with the stale copy.
    #expect(merge([stale], [owners]) == [owners])
    #expect(merge([owners], [stale]) == [owners])
    // The owner has sent an append whose confirmation is under way.
    let later = summary(7)
    let expected = summary(7, subscribers: 1, node: "n3")
    #expect(merge([later], [stale, owners]) == [expected])
    #expect(merge([later], [owners, stale]) == [expected])
  }

  @Test func `of copies at the same position, the one with more subscribers counts`() {
    let used = summary(3, subscribers: 2, node: "n2")
    let idle = summary(3, node: "n3")
    #expect(merge([summary(3)], [used, idle]) == [used])
    #expect(merge([summary(3)], [idle, used]) == [used])
    #expect(merge([used], [idle]) == [used])
  }

  @Test func `a copy of an ended history does not replace the next history`() {
    let stale = summary(9, at: 10, subscribers: 2, node: "n2")
    let next = summary(1, of: "two", at: 20)
    #expect(merge([next], [stale]) == [next])
    let copy = summary(1, of: "two", at: 20, node: "n3")
    #expect(merge([next], [stale, copy]) == [copy])
    #expect(merge([next], [copy, stale]) == [copy])
    // The history began after the log was read.
    #expect(merge([summary(9, at: 10)], [copy]) == [copy])
  }

  @Test func `sessions with one summary are listed as they are`() {
    let own = SessionSummary(
      id: "a", cursor: Cursor(epoch: "a", version: 1), subscribers: 1, lastActiveAt: .now,
      node: "n1")
    let other = summary(1, node: "n2")
    #expect(merge([own], [other]).sorted { $0.id < $1.id } == [own, other])
    #expect(merge([], []).isEmpty)
  }
}
