import LogTestSupport
import ReactorLog
import SQLiteLog
import Testing

/// The parameters of sessions, in each log.
struct ParametersTests {
  private let own = Array(#"{"title":"own"}"#.utf8)
  private let other = Array(#"{"title":"other"}"#.utf8)

  @Test(arguments: LogKind.allCases)
  func `a session is created with parameters, and its end removes them`(_ kind: LogKind)
    async throws
  {
    let log = try LogUnderTest(kind)
    let session = log.session()
    try await session.create(epoch: "one", parameters: own)
    #expect(try session.stored?.parameters == own)
    try await session.end()
    try await session.create(epoch: "two")
    #expect(try session.stored?.parameters == nil)
  }

  @Test(arguments: LogKind.allCases)
  func `the batch that creates a session stores its parameters, a later one does not`(
    _ kind: LogKind
  ) async throws {
    let log = try LogUnderTest(kind)
    let session = log.session()
    var batch = LogBatch([LogEntry(counted: 1)])
    batch.parameters = own
    try await session.append(batch, to: "one", expecting: 0)
    #expect(try session.stored?.parameters == own)
    batch = LogBatch([LogEntry(counted: 2)])
    batch.parameters = other
    try await session.append(batch, to: "one", expecting: 1)
    #expect(try session.stored?.parameters == own)
  }

  @Test(arguments: LogKind.allCases)
  func `a fork inherits parameters and snapshots, or has its own parameters and no snapshot`(
    _ kind: LogKind
  ) async throws {
    let log = try LogUnderTest(kind)
    let session = log.session()
    try await session.create(epoch: "one", parameters: own)
    try await session.append(LogBatch([LogEntry(counted: 1)]), to: "one", expecting: 0)
    session.save(Snapshot(version: 1, state: Array("{}".utf8)), of: "one")
    // A write after the snapshot, which is stored then. In PostgreSQL a fork is not in order with other writes.
    try await log.session("later").create(epoch: "one")
    try await log.log.fork("demo", at: 1, to: "same", epoch: "two")
    #expect(try log.session("same").stored?.parameters == own)
    #expect(try log.session("same").snapshot(atOrBefore: 1)?.version == 1)
    try await log.log.fork("demo", at: 1, to: "new", epoch: "three", parameters: other)
    #expect(try log.session("new").stored?.parameters == other)
    #expect(try log.session("new").snapshot(atOrBefore: 1) == nil)
    #expect(try log.session("new").entries(after: 0, limit: 9) == [LogEntry(counted: 1)])
  }

  @Test(arguments: LogKind.allCases)
  func `an accepted action keeps the name of its sends`(_ kind: LogKind) async throws {
    let log = try LogUnderTest(kind)
    let action = AcceptedAction(
      id: .init(request: 1, place: 0), action: Array("1".utf8), isInArray: false, key: nil,
      at: Timestamp(milliseconds: 1), sendName: "name")
    try await log.session().append(LogBatch(accepted: [action]), to: "one", expecting: 0)
    #expect(try log.session().acceptedActions() == [action])
  }
}
