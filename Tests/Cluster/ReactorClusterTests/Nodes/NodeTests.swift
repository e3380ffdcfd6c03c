import ReactorCluster
import ReactorCore
import ReactorHost
import ReactorLog
import Shares
import Synchronization
import Telemetry
import Testing

/// Several hosts in one process, over one log and one bus.
struct NodeTests {
  private let key = SessionKey(reactor: "counter", id: "demo")

  @Test func `an action that is posted at any node is executed once, at the owner`() async throws {
    let cluster = try await Cluster()
    let owner = try cluster.owner(of: key)
    for (index, member) in cluster.members.enumerated() {
      let outcome = try await member.host.post(#""increase""#, to: key.id)
      #expect(outcome.json == #"{"value":\#(index + 1)}"#)
    }
    #expect(cluster.holders(of: key) == [owner.node.node.name])
    for member in cluster.members {
      let session = try await member.host.open(key.id)
      #expect(session.current.version == 3)
    }
  }

  @Test(arguments: [Client.principal("ada"), .network(high: 1, low: .max)])
  func `a client of another node counts at the owner`(_ client: Client) async throws {
    let cluster = try await Cluster(["n1", "n2"])
    let owner = try cluster.owner(of: key)
    let other = try #require(cluster.others(than: owner).first)
    try await Account.$current.withValue(other.ledger.account(of: client)) {
      _ = try await other.host.open(key.id)
    }
    #expect(owner.ledger.account(of: client).held(.sessions) == 1)
  }

  @Test func `an action reaches its owner with one request`() async throws {
    let cluster = try await Cluster(["n1", "n2"])
    let owner = try cluster.owner(of: key)
    let other = try #require(cluster.others(than: owner).first)
    #expect(await owner.host.forward(#""increase""#, to: key.id) == nil)
    for version in 1...3 {
      let outcome = await other.host.forward(#""increase""#, to: key.id)
      #expect(outcome?.version == version)
    }
    var metrics = MetricsText()
    other.node.write(to: &metrics)
    let text = String(decoding: metrics.bytes, as: UTF8.self)
    #expect(text.contains("reactord_cluster_forwarded_requests_total 3\n"))
  }

  @Test func `an error of an action and of its decoding reach the client of another node`()
    async throws
  {
    let cluster = try await Cluster(["n1", "n2"])
    let other = try #require(cluster.others(than: try cluster.owner(of: key)).first)
    let invalid = try await other.host.post(#"{"add":"x"}"#, to: key.id)
    guard case .invalid(.invalid(let pointer, _, _)) = invalid else {
      Issue.record("\(invalid)")
      return
    }
    #expect(pointer == "/add")
    _ = try await other.host.post(#"{"add":9223372036854775807}"#, to: key.id)
    let failed = try await other.host.post(#""increase""#, to: key.id)
    guard case .failed(nil, let error, let cursor) = failed else {
      Issue.record("\(failed)")
      return
    }
    #expect(cursor.version == 1)
    #expect((error as? any ActionError)?.status == 409)
    #expect((error as? any ActionError)?.code == "counterOverflow")
  }

  @Test func `a key and an expected version hold across nodes`() async throws {
    let cluster = try await Cluster()
    let first = try await cluster.members[0].host.post(#""increase""#, to: key.id, key: "k")
    #expect(first.version == 1)
    for member in cluster.members {
      let repeated = try await member.host.post(#""increase""#, to: key.id, key: "k")
      guard case .replayed(let outcome) = repeated else {
        Issue.record("\(repeated)")
        continue
      }
      #expect(outcome.version == 1)
      let other = try await member.host.post(#""decrease""#, to: key.id, key: "k")
      guard case .keyReused = other else {
        Issue.record("\(other)")
        continue
      }
      let stale = Cursor(epoch: "other", version: 7)
      let mismatch = try await member.host.post(#""increase""#, to: key.id, ifAt: [stale])
      guard case .mismatch(let current) = mismatch else {
        Issue.record("\(mismatch)")
        continue
      }
      #expect(current.version == 1)
    }
  }

  /// A process that is not a member continues the session, as the next owner of a node that is cut off does.
  @Test
  func `an owner and the other nodes do not confirm a State that another process has continued`()
    async throws
  {
    let cluster = try await Cluster()
    let owner = try cluster.owner(of: key)
    let other = try #require(cluster.others(than: owner).first)
    let members = [owner, other]
    for member in members { _ = try await member.host.post(#""increase""#, to: key.id) }
    for member in members { try await member.host.open(key.id).confirmCurrent() }
    for member in members {
      let stale = try await member.host.open(key.id)
      let process = WriterLog(cluster.store, writer: "n9").session(key)
      let version = stale.current.version
      let entry = LogEntry(
        version: version + 1, at: .now, action: nil, mutation: Array(#"{"change":{"by":1}}"#.utf8))
      try await withCheckedThrowingContinuation { continuation in
        process.append(LogBatch([entry]), to: stale.epoch, expecting: version) {
          continuation.resume(with: $0)
        }
      }
      #expect(stale.current.version == version)
      // The owner drops the session; the other node's request is executed after it is loaded again.
      if member === owner {
        await #expect(throws: LogError.self) { try await stale.confirmCurrent() }
        #expect(owner.host.reactor("counter")?.liveSession(key.id) == nil)
      } else {
        try await stale.confirmCurrent()
        #expect(stale.current.version == version + 1)
      }
      #expect(try await member.host.open(key.id).current.version == version + 1)
    }
  }

  @Test func `the outcome of an effect reaches the client of another node`() async throws {
    let cluster = try await Cluster()
    for (index, member) in cluster.members.enumerated() {
      let outcome = try await member.host.post(#"{"add":2}"#, to: "demo", of: "slow")
      #expect(outcome.json == #"{"value":\#(2 * index + 2)}"#)
    }
  }

  @Test func `a stream at any node publishes each commit in order`() async throws {
    let cluster = try await Cluster()
    let recorders = cluster.members.map { _ in Recorder() }
    for (member, recorder) in zip(cluster.members, recorders) {
      try await recorder.observe(key.id, at: member.host)
    }
    let owner = try cluster.owner(of: key)
    for index in 0..<30 {
      _ = try await cluster.members[index % 3].host.post(#""increase""#, to: key.id)
    }
    for recorder in recorders {
      try await wait { recorder.last == 30 }
      #expect(recorder.isAscending, "\(recorder.versions)")
    }
    #expect(cluster.holders(of: key) == [owner.node.node.name])
    try await wait { owner.host.reactor("counter")?.liveSession(key.id)?.subscriberCount == 3 }
  }

  @Test func `the kill of the owner loses and doubles no action`() async throws {
    let cluster = try await Cluster(settings: .repeating)
    let owner = try cluster.owner(of: key)
    let others = cluster.others(than: owner)
    let recorder = Recorder()
    try await recorder.observe(key.id, at: others[0].host)
    let (acknowledged, unknown) = try await withThrowingTaskGroup(of: (Int, Int).self) { group in
      for client in 0..<4 {
        group.addTask { [key] in
          var (acknowledged, unknown) = (0, 0)
          for round in 0..<25 {
            if client == 0, round == 10 { owner.kill() }
            let member = others[(client + round) % 2]
            let outcome = try await member.host.post(#""increase""#, to: key.id)
            outcome.version == nil ? (unknown += 1) : (acknowledged += 1)
          }
          return (acknowledged, unknown)
        }
      }
      return try await group.reduce((0, 0)) { ($0.0 + $1.0, $0.1 + $1.1) }
    }
    // The owner has failed once: its pending requests get their responses from the next owner.
    #expect(acknowledged == 100 && unknown == 0)
    let session = try await others[0].host.open(key.id)
    #expect(session.current.version == 100)
    #expect(String(decoding: session.current.json, as: UTF8.self) == #"{"value":100}"#)
    try await wait { recorder.last == 100 }
    #expect(recorder.isAscending)
    #expect(cluster.holders(of: key).count == 1)
  }

  @Test func `a node that drains hands its sessions over`() async throws {
    let cluster = try await Cluster()
    let owner = try cluster.owner(of: key)
    _ = try await owner.host.post(#""increase""#, to: key.id)
    owner.node.drain()
    let id = owner.node.node
    try await wait {
      cluster.members.allSatisfy { !$0.node.readyNodes.contains(id) }
    }
    for member in cluster.members {
      let outcome = try await member.host.post(#""increase""#, to: key.id)
      #expect(outcome.version != nil)
    }
    #expect(cluster.holders(of: key) != [id.name])
    #expect(cluster.holders(of: key).count == 1)
  }

  @Test func `an action that must not run twice is not repeated at the next owner`() async throws {
    let cluster = try await Cluster(settings: .repeating)
    let careful = SessionKey(reactor: "careful", id: "demo")
    let owner = try cluster.owner(of: careful)
    let other = cluster.others(than: owner)[0]
    async let outcome = other.host.post(#"{"addLater":2}"#, to: careful.id, of: "careful")
    try await wait {
      owner.host.reactor("careful")?.liveSession(careful.id)?.activity.running == 1
    }
    owner.kill()
    switch try await outcome {
    case .notCommitted(.unknown): break  // the log has not accepted the action
    case .failed: break  // the log has accepted it, and the action is given up
    case let other: Issue.record("\(other)")
    }
    let session = try await other.host.open(careful.id, of: "careful")
    #expect(session.current.version == 0)
    #expect(session.activity.running == 0)
    // Further requests are executed.
    let next = try await other.host.post(#"{"add":1}"#, to: careful.id, of: "careful")
    #expect(next.json == #"{"value":1}"#)
  }

  @Test func `a node that was cut off joins again and serves no old state`() async throws {
    let cluster = try await Cluster(settings: .repeating)
    let owner = try cluster.owner(of: key)
    let others = cluster.others(than: owner)
    _ = try await owner.host.post(#""increase""#, to: key.id)
    let before = owner.node.node
    owner.bus.isCut = true
    #expect(owner.host.reactor("counter")?.liveSession(key.id) == nil)
    // A request of each other node finds no receiver, which marks the incarnation as failed.
    for (index, other) in others.enumerated() {
      let outcome = try await other.host.post(#""increase""#, to: key.id)
      #expect(outcome.version == index + 2)
    }
    try await wait { others.allSatisfy { !$0.node.readyNodes.contains(before) } }
    owner.bus.isCut = false
    try await wait { cluster.members.allSatisfy { $0.node.readyNodes.count == 3 } }
    #expect(owner.node.node != before)
    let session = try await owner.host.open(key.id)
    #expect(session.current.version == 3)
  }

  @Test func `a node without heartbeats counts as failed, and joins again`() async throws {
    let cluster = try await Cluster(settings: .suspicious)
    let silent = cluster.members[0]
    let others = cluster.others(than: silent)
    silent.bus.isCut = true
    let name = silent.node.node.name
    try await wait {
      others.allSatisfy { !$0.node.readyNodes.map(\.name).contains(name) }
    }
    silent.bus.isCut = false
    try await wait { cluster.members.allSatisfy { $0.node.readyNodes.count == 3 } }
  }

  @Test func `a session that is deleted at another node has ended`() async throws {
    let cluster = try await Cluster()
    let owner = try cluster.owner(of: key)
    let other = cluster.others(than: owner)[0]
    let recorder = Recorder()
    _ = try await other.host.post(#""increase""#, to: key.id)
    try await recorder.observe(key.id, at: other.host)
    try await wait { owner.host.reactor("counter")?.liveSession(key.id)?.subscriberCount == 1 }
    let reactor = try #require(other.host.reactor("counter"))
    try await reactor.endSession(key.id)
    try await wait { recorder.end == .deleted }
    await #expect(throws: SessionError.ended) { try await other.host.open(key.id) }
  }

  /// Otherwise `limits.sessions` would count each request to the session.
  @Test func `a node knows of a session of another node whether it is stored`() async throws {
    let cluster = try await Cluster()
    let owner = try cluster.owner(of: key)
    let creator = cluster.others(than: owner)[0]
    let other = cluster.others(than: owner)[1]
    for member in [creator, other] {
      let session = try await member.host.open(key.id)
      #expect(!session.isStored)
      #expect(!session.takeCreation())
    }
    let created = try await creator.host.open(key.id, for: .ensure)
    #expect(created.isStored)
    let found = try await other.host.open(key.id)
    #expect(found.isStored)
    #expect(found.current.version == 0)
    #expect(!found.takeCreation())
  }

  @Test func `the first action at another node creates a session once`() async throws {
    let cluster = try await Cluster()
    let owner = try cluster.owner(of: key)
    let member = cluster.others(than: owner)[0]
    let session = try await member.host.open(key.id)
    _ = try await member.host.post(#""increase""#, to: key.id)
    #expect(session.isStored)
    #expect(session.takeCreation())
    #expect(!session.takeCreation())
  }

  @Test
  func `a list at any node has the subscribers of all nodes, and no session that has only streams`()
    async throws
  {
    let cluster = try await Cluster()
    let recorders = cluster.members.map { _ in Recorder() }
    for (member, recorder) in zip(cluster.members, recorders) {
      try await recorder.observe("shown", at: member.host)
    }
    let owner = try cluster.owner(of: SessionKey(reactor: "counter", id: "shown"))
    try await wait {
      owner.host.reactor("counter")?.liveSession("shown")?.subscriberCount == 3
    }
    _ = try await cluster.members[0].host.post(#""increase""#, to: "stored")
    for isStored in [false, true] {
      if isStored { _ = try await cluster.members[0].host.post(#""increase""#, to: "shown") }
      try await expectList(
        at: cluster, isStored ? ["shown", "stored"] : ["stored"], isStored ? [3, 0] : [0])
    }
  }

  private func expectList(
    at cluster: Cluster, _ ids: [String], _ subscribers: [Int]
  ) async throws {
    for member in cluster.members {
      let reactor = try #require(member.host.reactor("counter"))
      let listed = try await reactor.sessions(after: nil, limit: 10)
      #expect(listed.map(\.id) == ids)
      #expect(listed.map(\.subscribers) == subscribers)
    }
  }

  @Test func `the history of a session is read at any node`() async throws {
    let cluster = try await Cluster(["n1", "n2"])
    for _ in 0..<250 { _ = try await cluster.members[0].host.post(#""increase""#, to: key.id) }
    for member in cluster.members {
      let session = try await member.host.open(key.id)
      let state = try await session.state(at: 3)
      #expect(String(decoding: state.json, as: UTF8.self) == #"{"value":3}"#)
      #expect(try await session.entries(after: 1, limit: 3).map(\.version) == [2, 3, 4])
      let replayed = try await replay(session)
      #expect(replayed == Array(0...250))
    }
  }

  /// The versions of a replay, page by page.
  private func replay(_ session: any Session) async throws -> [Int] {
    let reader = try await session.replay(after: nil)
    var versions: [Int] = []
    while case let page = try await reader.next(limit: 64), !page.isEmpty {
      versions += page.map(\.version)
    }
    return versions
  }

  @Test func `a signal of any node reaches the subscribers of all, in order per sender`()
    async throws
  {
    let cluster = try await Cluster()
    let listeners = cluster.members.map { _ in SignalRecorder() }
    let recorders = cluster.members.map { _ in Recorder() }
    for (index, member) in cluster.members.enumerated() {
      try await recorders[index].observe(key.id, at: member.host)
      try await member.host.open(key.id).observeSignals(listeners[index])
    }
    let owner = try cluster.owner(of: key)
    // All nodes are subscribed.
    try await wait { owner.host.reactor("counter")?.liveSession(key.id)?.subscriberCount == 3 }
    for (index, member) in cluster.members.enumerated() {
      let session = try await member.host.open(key.id)
      for number in 0..<5 {
        session.publish(SessionSignal(Array("\(number)".utf8), from: "n\(index)"))
      }
    }
    for listener in listeners {
      try await wait { listener.signals.count == 15 }
      for sender in ["n0", "n1", "n2"] {
        let received = listener.signals.filter { $0.sender == sender }.map {
          String(decoding: $0.json, as: UTF8.self)
        }
        #expect(received == ["0", "1", "2", "3", "4"])
      }
    }
    withExtendedLifetime(recorders) {}
  }

  @Test func `the activity of a session is observed at any node while it is requested`()
    async throws
  {
    let cluster = try await Cluster()
    let slow = SessionKey(reactor: "slow", id: "demo")
    let owner = try cluster.owner(of: slow)
    let other = cluster.others(than: owner)[0]
    let (recorder, activity) = (Recorder(), ActivityRecorder())
    let session = try await other.host.open(slow.id, of: "slow")
    session.changeStreams(of: .anonymous, by: 1)
    _ = session.observe(recorder)
    session.observeActivity(activity)
    try await wait {
      owner.host.reactor("slow")?.liveSession(slow.id)?.subscriberCount == 1
    }
    // The request for the activity can arrive late: repeat the action until it is observed.
    while !activity.all.contains(where: { $0.running == 1 }) {
      _ = try await other.host.post(#"{"add":2}"#, to: slow.id, of: "slow")
    }
    try await wait { activity.all.last?.running == 0 }
    session.stopObservingActivity(activity)
    #expect(session.activity == SessionActivity())
  }

  @Test func `a global that is set at one node is applied by all`() async throws {
    let cluster = try await Cluster()
    try await cluster.members[1].theme.set("dark")
    for member in cluster.members { try await wait { member.theme.value == "dark" } }
  }

  @Test func `no earlier value of a global follows a later one in a session that moves`()
    async throws
  {
    let key = SessionKey(reactor: "themed", id: "demo")
    let cluster = try await Cluster(["n1", "n2"], settings: .repeating) { _, theme in
      [ReactorRegistration("themed", summary: "") { ThemedReactor(theme) }]
    }
    let owner = try cluster.owner(of: key)
    let other = cluster.others(than: owner)[0]
    let session = try await owner.host.open(key.id, of: key.reactor)
    // The other node does not receive the value, nor the request to read it.
    other.bus.isDeaf = true
    Task { try await owner.theme.set("dark") }
    try await wait { session.current.version == 2 }
    owner.kill()
    _ = try await other.host.post(#""touch""#, to: key.id, of: key.reactor)
    let moved = try #require(other.host.reactor(key.reactor)?.liveSession(key.id))
    let state = String(decoding: moved.current.json, as: UTF8.self)
    #expect(state == #"{"themes":["light","dark","touched"]}"#)
  }

  @Test func `all nodes have a global when it is set`() async throws {
    let cluster = try await Cluster()
    for (index, member) in cluster.members.enumerated() {
      try await member.theme.set("theme \(index)")
      for other in cluster.members {
        #expect(other.theme.value == "theme \(index)")
        #expect(other.theme.current.version == index + 1)
      }
    }
  }

  @Test func `nodes that set a global at the same time store one value after the other`()
    async throws
  {
    let cluster = try await Cluster()
    try await withThrowingTaskGroup { group in
      for round in 0..<10 {
        for member in cluster.members {
          group.addTask { try await member.theme.set("\(member.node.node.name) \(round)") }
        }
      }
      try await group.waitForAll()
    }
    let values = Set(cluster.members.map(\.theme.value))
    #expect(values.count == 1)
    for member in cluster.members { #expect(member.theme.current.version == 30) }
  }

  @Test func `a node that is away delays a global for a limited time, and reads it later`()
    async throws
  {
    var settings = ClusterSettings.undetecting
    settings.refresh = 50
    settings.globalLimit = 500
    let cluster = try await Cluster(settings: settings)
    let away = cluster.members[2]
    // Requests to this node are lost without a reply.
    away.bus.isDeaf = true
    try await cluster.members[0].theme.set("dark")
    try await wait { cluster.members[1].theme.value == "dark" }
    try await wait { away.theme.value == "dark" }
    away.bus.isDeaf = false
  }
}

/// Records the versions that a session publishes.
final class Recorder: SessionObserver {
  private struct State {
    var session: (any Session)?
    var versions: [Int] = []
    var end: SessionEnd?
  }

  private let state = Mutex(State())

  func observe(_ id: String, at host: Host) async throws {
    let session = try await host.open(id)
    session.changeStreams(of: .anonymous, by: 1)
    let base = session.observe(self)
    state.withLock { state in
      state.session = session
      if let base { state.versions.insert(base.version, at: 0) }
    }
  }

  var versions: [Int] { state.withLock { $0.versions } }

  var last: Int? { versions.last }

  var end: SessionEnd? { state.withLock { $0.end } }

  var isAscending: Bool { zip(versions, versions.dropFirst()).allSatisfy { $0 < $1 } }

  func sessionDidCommit(_ committed: CommittedState) {
    state.withLock { $0.versions.append(committed.version) }
  }

  func sessionDidEnd(_ end: SessionEnd) {
    state.withLock { $0.end = end }
  }
}

/// Records signals.
private final class SignalRecorder: SignalObserver {
  private let received = Mutex<[SessionSignal]>([])

  var signals: [SessionSignal] { received.withLock { $0 } }

  func didReceive(_ signal: SessionSignal) {
    received.withLock { $0.append(signal) }
  }
}

/// Records the activity of a session.
private final class ActivityRecorder: ActivityObserver {
  private let recorded = Mutex<[SessionActivity]>([])

  var all: [SessionActivity] { recorded.withLock { $0 } }

  func activityDidChange(_ activity: SessionActivity) {
    recorded.withLock { $0.append(activity) }
  }
}
