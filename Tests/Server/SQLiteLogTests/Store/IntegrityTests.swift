import Testing
import TestSupport

@testable import ReactorLog
@testable import SQLiteLog

/// Damage in a store: changed, missing and exchanged rows.
@Suite struct IntegrityTests {
  private static let demo = SessionKey(reactor: "counter", id: "demo")

  private let folder: TemporaryFolder
  private let log: SQLiteLog
  private let session: any SessionLog

  /// Creates two sessions with 20 entries each, and snapshots of the versions 5 and 10 of one.
  init() async throws {
    folder = try TemporaryFolder()
    log = try SQLiteLog(path: folder["log.db"])
    session = log.session(Self.demo)
    try await session.append(1...20, to: "one")
    session.save(Snapshot(version: 5, state: Array("5".utf8)), of: "one")
    session.save(Snapshot(version: 10, state: Array("10".utf8)), of: "one")
    try await log.session(SessionKey(reactor: "counter", id: "other")).append(1...20, to: "two")
  }

  private func damage(_ statement: String) throws {
    try Shell.sqlite(
      folder["log.db"],
      "\(statement.replacing("DEMO", with: "(SELECT id FROM sessions WHERE session = 'demo')"))")
  }

  private var findings: [String] {
    get throws { try SQLiteMaintenance(path: folder["log.db"]).check() }
  }

  @Test func `an undamaged store has no findings`() throws {
    #expect(try findings == [])
    #expect(try session.entries(after: 0, limit: 100).count == 20)
    #expect(try session.snapshot(atOrBefore: 20)?.version == 10)
  }

  @Test(arguments: [
    #"mutation = '{"change":{"by":9}}'"#, "action = '1'", "action = NULL", "at = at + 1",
    "global = 'user', revision = 1", "checksum = checksum + 1", "checksum = NULL",
  ])
  func `a changed entry is found, and the entries beside it stay readable`(
    _ change: String
  ) throws {
    try damage("UPDATE mutations SET \(change) WHERE session = DEMO AND version = 8")
    #expect(try findings.first?.hasPrefix("counter/demo: version 8 ") == true)
    #expect(try session.entries(after: 0, limit: 100).map(\.version) == Array(1...7))
    let error = #expect(throws: LogError.self) { try session.entries(after: 7, limit: 100) }
    guard case .corrupt(let reason) = error else {
      Issue.record("unexpected: \(String(describing: error))")
      return
    }
    #expect(reason.contains("version 8"))
    #expect(try session.entries(after: 9, limit: 100).map(\.version) == Array(10...20))
  }

  @Test func `a missing entry is found`() throws {
    try damage("DELETE FROM mutations WHERE session = DEMO AND version = 8")
    #expect(try findings == ["counter/demo: version 8 is missing"])
    #expect(try session.entries(after: 0, limit: 100).map(\.version) == Array(1...7))
    #expect(throws: LogError.self) { try session.entries(after: 7, limit: 100) }
    #expect(try session.entries(after: 8, limit: 100).map(\.version) == Array(9...20))
  }

  @Test func `an entry of another session is found`() throws {
    try damage(
      """
      UPDATE mutations SET (mutation, checksum) = (
        SELECT mutation, checksum FROM mutations AS other
        WHERE other.session <> DEMO AND other.version = 8)
      WHERE session = DEMO AND version = 8
      """)
    #expect(try findings.contains("counter/demo: version 8 does not match its checksum"))
    #expect(throws: LogError.self) { try session.entries(after: 7, limit: 100) }
  }

  @Test func `exchanged entries are found`() throws {
    try damage(
      """
      UPDATE mutations SET version = -8 WHERE session = DEMO AND version = 8;
      UPDATE mutations SET version = 8 WHERE session = DEMO AND version = 9;
      UPDATE mutations SET version = 9 WHERE session = DEMO AND version = -8;
      """)
    #expect(try findings.contains("counter/demo: version 8 does not match its checksum"))
    #expect(throws: LogError.self) { try session.entries(after: 7, limit: 100) }
  }

  @Test(arguments: ["state = '11'", "schema = 'x'", "chain = chain + 1", "checksum = 0"])
  func `a damaged snapshot is found, and an earlier one is used`(_ change: String) throws {
    try damage("UPDATE snapshots SET \(change) WHERE session = DEMO AND version = 10")
    #expect(
      try findings == ["counter/demo: the snapshot of version 10 does not match its checksum"])
    #expect(try session.snapshot(atOrBefore: 20)?.version == 5)
  }

  @Test func `a damaged snapshot that replaces entries is an error of its session`() throws {
    try damage(
      """
      DELETE FROM mutations WHERE session = DEMO AND version <= 10;
      DELETE FROM snapshots WHERE session = DEMO AND version = 5;
      """)
    #expect(try findings == [])
    #expect(try session.entries(after: 10, limit: 100).map(\.version) == Array(11...20))
    try damage("UPDATE snapshots SET state = '11' WHERE session = DEMO AND version = 10")
    #expect(throws: LogError.self) { try session.snapshot(atOrBefore: 20) }
    #expect(try log.session(SessionKey(reactor: "counter", id: "other")).stored?.version == 20)
  }

  @Test func `the first entry after a snapshot is verified without its predecessor`() throws {
    try damage(
      """
      DELETE FROM mutations WHERE session = DEMO AND version <= 10;
      UPDATE mutations SET mutation = '0' WHERE session = DEMO AND version = 11;
      """)
    #expect(throws: LogError.self) { try session.entries(after: 10, limit: 100) }
    #expect(try findings == ["counter/demo: version 11 does not match its checksum"])
  }

  @Test func `a page of entries has a limited number of bytes`() async throws {
    let large = Array("\"\(String(repeating: "x", count: 1 << 20))\"".utf8)
    let entries = (21...30).map {
      LogEntry(version: $0, at: Timestamp(milliseconds: 0), action: nil, mutation: large)
    }
    try await session.append(LogBatch(entries), to: "one", expecting: 20)
    var version = 20
    var pages = 0
    while let last = try session.entries(after: version, limit: 1000).last {
      version = last.version
      pages += 1
    }
    #expect(version == 30)
    #expect(pages == 3)
  }

  /// The vectors of the authors' reference implementation, for messages of the bytes 0, 1, 2, ….
  @Test(
    arguments: [
      (0, 0x726f_db47_dd0e_0e31), (1, 0x74f8_39c5_93dc_67fd), (8, 0x93f5_f579_9a93_2462),
      (15, 0xa129_ca61_49be_45e5), (63, 0x958a_324c_eb06_4572),
    ] as [(Int, UInt64)])
  func `SipHash matches its reference implementation`(count: Int, hash: UInt64) {
    let message = (0..<count).map { UInt8($0) }
    for split in [0, 1, 3, 7] where split <= count {
      var sipHash = SipHash(0x0706_0504_0302_0100, 0x0f0e_0d0c_0b0a_0908)
      for byte in message.prefix(split) { sipHash.append(byte) }
      sipHash.append(message.dropFirst(split))
      #expect(sipHash.finish() == hash)
    }
  }
}
