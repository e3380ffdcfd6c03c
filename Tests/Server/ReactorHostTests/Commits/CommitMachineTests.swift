import ReactorHost
import Synchronization
import Telemetry
import Testing

@testable import ReactorHost

struct CommitMachineTests {
  @Test(arguments: 0..<20)
  func `every order of events keeps the promises of the model`(_ block: Int) {
    for seed in 0..<200 {
      var model = CommitModel(seed: UInt64(block * 200 + seed))
      model.run(events: 80)
    }
  }

  private func fail(_ reason: Comment) {
    Issue.record(reason)
  }

  private func machine() -> CommitMachine<Int> {
    CommitMachine(
      at: CommittedState(cursor: Cursor(epoch: "e", version: 0), json: [0]),
      lastActiveAt: Timestamp(milliseconds: 0), isStored: false, lastSnapshot: 0)
  }

  private func evict(_ machine: inout CommitMachine<Int>) -> Bool {
    machine.evict()
  }

  /// Requests the batch, as the log does.
  @discardableResult
  private func takeBatch(of machine: inout CommitMachine<Int>) -> LogBatch {
    let taken = machine.takeBatch(at: Stopwatch())
    #expect(taken != nil)
    return taken?.batch ?? LogBatch()
  }

  /// Reduces a mutation in a turn and announces it.
  private func reduce(_ machine: inout CommitMachine<Int>) {
    let version = machine.reduced(.reduced([1]), to: [2])
    #expect(version != nil)
    guard case .announce = machine.endTurn() else { return fail("nothing is announced") }
  }

  @Test func `a session that ends during a publication is closed after it`() throws {
    var machine = machine()
    let observer = CommitModel.Observer()
    _ = machine.add(observer)
    reduce(&machine)
    takeBatch(of: &machine)
    _ = machine.committed(snapshotInterval: 10)
    guard case .closeLater = machine.end(.deleted, fault: nil) else {
      return fail("the end is not deferred")
    }
    guard case .close(let closing) = machine.published() else {
      return fail("the session is not closed")
    }
    #expect(closing.end == .deleted && closing.observers.count == 1)
    guard case .rest = machine.published() else { return fail("it is closed twice") }
  }

  /// Ends a session with a reply that waits for the batch at the log, and with a later one.
  ///
  /// - Returns: The replies that are notified of the end.
  private func end(
    _ machine: inout CommitMachine<Int>, notifying observer: any SessionObserver
  ) -> [Int] {
    _ = machine.add(observer)
    for version in 1...2 {
      _ = machine.reduced(.reduced([1]), to: [UInt8(version)])
      _ = machine.finished(
        version, key: nil, version: version, journalled: [], failure: nil, at: nil)
      _ = machine.endTurn()
      if version == 1 { takeBatch(of: &machine) }
    }
    guard case .close(let closing) = machine.end(.interrupted, fault: .unavailable("x")) else {
      fail("the session is not closed")
      return []
    }
    #expect(closing.observers.isEmpty)
    return replies(closing.replies)
  }

  private func replies(_ waiting: SmallArray<CommitMachine<Int>.WaitingReply>) -> [Int] {
    var replies: [Int] = []
    waiting.forEach { replies.append($0.reply) }
    return replies
  }

  @Test func `a batch that the log commits after the end is published, then observers end`() throws
  {
    var machine = machine()
    #expect(end(&machine, notifying: CommitModel.Observer()) == [2])
    let committed = machine.committed(snapshotInterval: 1)
    let publication = try #require(committed)
    #expect(publication.observers.count == 1 && !publication.snapshotIsDue)
    #expect(replies(publication.replies) == [1])
    #expect(machine.latest.version == 1)
    guard case .close(let closing) = machine.published() else {
      return fail("the session is not closed")
    }
    #expect(closing.observers.count == 1 && closing.replies.isEmpty)
    #expect(machine.fault == .unavailable("x"))
  }

  @Test func `a batch that the log rejects after the end closes the rest with that error`() throws {
    var machine = machine()
    #expect(end(&machine, notifying: CommitModel.Observer()) == [2])
    let rejected = machine.rejectedBatch(.full)
    let closing = try #require(rejected)
    #expect(closing.observers.count == 1 && replies(closing.replies) == [1])
    #expect(machine.latest.version == 0)
    #expect(machine.fault == .full)
  }

  @Test func `no batch is formed between a rejected one and the end`() throws {
    var machine = machine()
    reduce(&machine)
    takeBatch(of: &machine)
    let closing = machine.rejectedBatch(.full)
    #expect(closing.map(\.end) == nil)
    _ = machine.reduced(.reduced([1]), to: [2])
    guard case .rest = machine.endTurn() else { return fail("a batch is announced") }
    guard case .close = machine.end(.interrupted, fault: .full) else {
      return fail("the session is not closed")
    }
  }

  @Test func `a stored outcome is committed with the mutations of its request`() throws {
    var machine = machine()
    let key = IdempotencyKey(stored: "k", body: "b")
    let isClaimed = machine.claim(key, at: 0)
    #expect(isClaimed)
    _ = machine.reduced(.reduced([1]), to: [2])
    let decision = machine.finished(
      7, key: key, version: 1, journalled: [], failure: nil, at: Timestamp(milliseconds: 1))
    guard case .wait = decision else { return fail("the reply does not wait") }
    _ = machine.endTurn()
    let batch = takeBatch(of: &machine)
    #expect(batch.entries.count == 1)
    #expect(batch.outcomes.map(\.key) == [key])
    #expect(batch.outcomes.map(\.version) == [1])
    let committed = machine.committed(snapshotInterval: 10)
    let publication = try #require(committed)
    var replies: [Int] = []
    publication.replies.forEach { replies.append($0.reply) }
    #expect(replies == [7])
  }

  @Test func `a snapshot is due after 1 MiB of mutations, and not again at the same version`()
    throws
  {
    var machine = machine()
    for step in 1...2 {
      _ = machine.reduced(.reduced(Array(repeating: 1, count: 1 << 19)), to: [2])
      _ = machine.endTurn()
      _ = takeBatch(of: &machine)
      let committed = machine.committed(snapshotInterval: 10)
      #expect(try #require(committed).snapshotIsDue == (step == 2))
      _ = machine.published()
    }
    let versions = [machine.beginSnapshot(interval: 10), machine.beginSnapshot(interval: 10)]
    #expect(versions == [2, nil])
  }

  @Test func `journalled actions leave the journal with the last batch of their request`() throws {
    var machine = machine()
    let accepted = machine.accept(then: nil) { request in
      [
        AcceptedAction(
          id: .init(request: request, place: 0), action: [1], isInArray: false, key: nil,
          at: Timestamp(milliseconds: 1))
      ]
    }
    let id = try #require(accepted?.first).id
    _ = machine.endTurn()
    #expect(takeBatch(of: &machine).accepted.map(\.id) == [id])
    _ = machine.committed(snapshotInterval: 10)
    _ = machine.published()
    let decision = machine.finished(
      1, key: nil, version: 0, journalled: [id], failure: nil, at: nil)
    guard case .wait = decision else { return fail("the reply does not wait") }
    _ = machine.endTurn()
    #expect(takeBatch(of: &machine).finished == [id])
  }

  @Test func `an observer that does not retain the session does not prevent its eviction`() throws {
    var machine = machine()
    let passive = CommitModel.Observer()
    let base = machine.add(passive, retains: false)
    #expect(base?.version == 0)
    let observer = CommitModel.Observer()
    _ = machine.add(observer)
    #expect(!evict(&machine))
    machine.remove(observer)
    #expect(evict(&machine))
    #expect(passive.seen.withLock { $0.ends } == 0)
  }

  @Test func `only an idle session without observers is evicted`() throws {
    var machine = machine()
    let observer = CommitModel.Observer()
    _ = machine.add(observer)
    #expect(!evict(&machine))
    machine.remove(observer)
    reduce(&machine)
    #expect(!evict(&machine))
    takeBatch(of: &machine)
    #expect(!evict(&machine))
    _ = machine.committed(snapshotInterval: 10)
    #expect(!evict(&machine))
    _ = machine.published()
    #expect(evict(&machine))
    let version = machine.reduced(.reduced([]), to: [])
    #expect(version == nil)
  }
}
