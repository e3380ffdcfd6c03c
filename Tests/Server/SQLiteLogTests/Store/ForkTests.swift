import LogTestSupport
import ReactorLog
import Synchronization
import Testing
import TestSupport

@testable import SQLiteLog

/// Forks of long histories, which are copied in parts between other writes.
@Suite struct ForkTests {
  private static let source = SessionKey(reactor: "counter", id: "demo")
  private static let target = SessionKey(reactor: "counter", id: "copy")
  private static let other = SessionKey(reactor: "counter", id: "other")
  private static let length = 3500

  private let folder: TemporaryFolder
  private let file: StoreFile
  private let retention = RetentionRules(.versions(10))

  init() throws {
    folder = try TemporaryFolder()
    file = StoreFile(path: folder["log.db"])
    try file.prepare()
  }

  /// A new writer of the store, as after a crash of the one before.
  private func writer() throws -> LogWriter {
    try LogWriter(file, StoreRules(retention: retention), afterFailure: false)
  }

  /// A writer of a store with a session that takes several groups to copy.
  private func writerWithHistory() throws -> LogWriter {
    let writer = try writer()
    let entries = (1...Self.length).map { LogEntry(counted: $0) }
    let batch = LogBatch(entries)
    #expect(try writer.write(.append(Self.source, batch, epoch: "one", version: 0)) == [.written])
    return writer
  }

  private static let fork = WriteOperation.fork(
    source, at: Cursor(epoch: "one", version: length - 1), to: target, epoch: "two")

  /// Continues the fork until it is written.
  private func finish(_ writer: LogWriter) throws {
    var result: [WriteResult]
    repeat { result = try writer.write(Self.fork) } while result == [.unfinished]
    #expect(result == [.written])
  }

  /// Does all maintenance that is due.
  private func removeAll(_ writer: LogWriter) throws {
    repeat { _ = try writer.write(.maintenance) } while !writer.isIdle
  }

  private func count(_ session: SessionKey) throws -> Int {
    let text = try Shell.sqlite(
      file.path, "SELECT count(*) FROM log WHERE session = '\(session.id)'")
    return try #require(Int(text.dropLast()))
  }

  /// The number of mutations and of their histories, unfinished copies included.
  private func countAll() throws -> String {
    try Shell.sqlite(file.path, "SELECT count(*), count(DISTINCT session) FROM mutations")
  }

  @Test func `other sessions are written while a long history is copied`() throws {
    let writer = try writerWithHistory()
    #expect(try writer.write(Self.fork) == [.unfinished])
    var version = 0
    var results: [WriteResult] = []
    repeat {
      let append = WriteOperation.append(
        Self.other, LogBatch([LogEntry(counted: version + 1)]), epoch: "x", version: version)
      #expect(try count(Self.target) == 0, "an unfinished copy is invisible")
      results = try writer.write(Self.fork, append)
      version += 1
      #expect(results.last == .written)
    } while results.first == .unfinished
    #expect(results.first == .written)
    #expect(version == 3, "a thousand entries per group")
    #expect(try count(Self.target) == Self.length - 1)
    #expect(try count(Self.other) == version)
  }

  @Test func `a group copies and deletes at most 1 MiB of large rows, and one more`() throws {
    let writer = try writer()
    let large = Array(#""\#(String(repeating: "x", count: 300_000))""#.utf8)
    let entries = (1...10).map {
      LogEntry(version: $0, at: .now, action: nil, global: nil, mutation: large)
    }
    let append = WriteOperation.append(Self.source, LogBatch(entries), epoch: "one", version: 0)
    #expect(try writer.write(append) == [.written])
    let fork = WriteOperation.fork(
      Self.source, at: Cursor(epoch: "one", version: 10), to: Self.target, epoch: "two")
    var counts: [String] = []
    while try writer.write(fork) == [.unfinished] { counts.append(try countAll()) }
    #expect(counts == ["14|2\n", "18|2\n"])
    #expect(try count(Self.target) == 10)
    // The group that ends the session deletes its first row: a client waits for it.
    #expect(try writer.write(.end(Self.target)) == [.written])
    #expect(try countAll() == "19|2\n")
    let next = WriteOperation.append(
      Self.other, LogBatch([LogEntry(counted: 1)]), epoch: "one", version: 0)
    #expect(try writer.write(next) == [.written])
    #expect(try countAll() == "19|3\n")
    try removeAll(writer)
    #expect(try countAll() == "11|2\n")
  }

  @Test func `a crash deletes an unfinished copy`() throws {
    var writer = try writerWithHistory()
    #expect(try writer.write(Self.fork) == [.unfinished])
    #expect(try countAll() == "\(Self.length + 1000)|2\n")
    writer = try self.writer()
    try removeAll(writer)
    #expect(try countAll() == "\(Self.length)|1\n")
    #expect(try count(Self.target) == 0)
    // The id of the deleted copy is not used again.
    try finish(writer)
    #expect(try count(Self.target) == Self.length - 1)
  }

  @Test func `a source that ends during the copy is deleted after it`() throws {
    let writer = try writerWithHistory()
    #expect(try writer.write(Self.fork, .end(Self.source)) == [.unfinished, .written])
    // More steps than the deletion would need to overtake the copy.
    for _ in 0..<10 { _ = try writer.write(.maintenance) }
    try finish(writer)
    #expect(try count(Self.target) == Self.length - 1)
    try removeAll(writer)
    #expect(try countAll() == "\(Self.length - 1)|1\n")
  }

  @Test func `retention does not trim a history while it is copied`() throws {
    let writer = try writerWithHistory()
    let snapshot = Snapshot(version: Self.length - 20, state: Array("1".utf8))
    #expect(
      try writer.write(Self.fork, .save(Self.source, snapshot, epoch: "one"))
        == [.unfinished, .written])
    for _ in 0..<10 { _ = try writer.write(.maintenance) }
    try finish(writer)
    #expect(try count(Self.target) == Self.length - 1)
    try removeAll(writer)
    #expect(try count(Self.source) == 20)
  }

  @Test func `a session that is created during the copy stays, and the copy is deleted`() throws {
    let writer = try writerWithHistory()
    #expect(
      try writer.write(Self.fork, .create(Self.target, epoch: "three")) == [.unfinished, .written])
    #expect(try writer.write(Self.fork) == [.rejected(.conflict)])
    try removeAll(writer)
    #expect(try countAll() == "\(Self.length)|1\n")
    #expect(try count(Self.target) == 0)
  }

  @Test func `a rejected operation of the same group does not affect a copy`() throws {
    let writer = try writerWithHistory()
    #expect(try writer.write(Self.fork, .end(Self.source)) == [.unfinished, .written])
    // The duplicate version violates the primary key, and the operations are written one by one.
    let twice = LogBatch([LogEntry(counted: 1), LogEntry(counted: 1)])
    let wrong = WriteOperation.append(Self.other, twice, epoch: "x", version: 0)
    #expect(try writer.write(Self.fork, wrong) == [.unfinished, .rejected(.conflict)])
    try finish(writer)
    #expect(try count(Self.target) == Self.length - 1)
  }

  @Test func `concurrent copies share the rows of a group`() throws {
    let writer = try writerWithHistory()
    var waiting = (0..<5).map { index in
      WriteOperation.fork(
        Self.source, at: Cursor(epoch: "one", version: Self.length),
        to: SessionKey(reactor: "counter", id: "\(index)"),
        epoch: "e\(index)")
    }
    var groups = 0
    while !waiting.isEmpty {
      let results = try writer.write(all: waiting)
      #expect(!results.contains(.rejected(.conflict)))
      waiting = zip(waiting, results).compactMap { $1 == .unfinished ? $0 : nil }
      groups += 1
    }
    // A thousand entries per group, for all copies together.
    #expect(groups >= 5 * Self.length / 1000)
    #expect(groups <= 5 * Self.length / 1000 + 5)
    for index in 0..<5 {
      #expect(try count(SessionKey(reactor: "counter", id: "\(index)")) == Self.length)
    }
  }

  @Test func `a fork continues the checksums of its source`() throws {
    let writer = try writerWithHistory()
    try finish(writer)
    let next = LogBatch([LogEntry(counted: Self.length)])
    #expect(
      try writer.write(.append(Self.target, next, epoch: "two", version: Self.length - 1))
        == [.written])
    #expect(try SQLiteMaintenance(path: file.path).check() == [])
  }

  /// A writer of a store whose oldest retained version is 20 versions before the end.
  private func writerWithTrimmedHistory() throws -> LogWriter {
    let writer = try writerWithHistory()
    let snapshot = Snapshot(version: Self.length - 20, state: Array("1".utf8))
    _ = try writer.write(.save(Self.source, snapshot, epoch: "one"))
    try removeAll(writer)
    #expect(try count(Self.source) == 20)
    return writer
  }

  @Test func `a fork at the oldest retained version continues the checksums of its source`() throws
  {
    var writer = try writerWithTrimmedHistory()
    let version = Self.length - 20
    #expect(
      try writer.write(
        .fork(
          Self.source, at: Cursor(epoch: "one", version: version), to: Self.target, epoch: "two"))
        == [.written])
    for next in version + 1...version + 2 {
      // Each entry is written as after a restart.
      writer = try self.writer()
      let batch = LogBatch([LogEntry(counted: next)])
      #expect(
        try writer.write(.append(Self.target, batch, epoch: "two", version: next - 1))
          == [.written])
    }
    let loaded = try LogReader(file.open(for: .reading)).load(Self.target, schema: nil)
    #expect(loaded.snapshot?.version == version)
    #expect(loaded.entries.map(\.version) == [version + 1, version + 2])
    #expect(try SQLiteMaintenance(path: file.path).check() == [])
  }

  @Test func `a fork of an earlier release, whose checksums begin again, is readable`() throws {
    let writer = try writerWithTrimmedHistory()
    let version = Self.length - 20
    let entry = LogEntry(counted: version + 1)
    _ = try writer.write(
      .fork(Self.source, at: Cursor(epoch: "one", version: version), to: Self.target, epoch: "two"))
    _ = try writer.write(
      .append(Self.target, LogBatch([entry]), epoch: "two", version: version))
    let checksum = EntryChain.checksum(of: entry, after: EntryChain.seed("one"))
    try Shell.sqlite(
      file.path,
      """
      UPDATE mutations SET checksum = \(Int64(bitPattern: checksum))
      WHERE session = (SELECT id FROM sessions WHERE session = 'copy')
      """)
    let reader = try LogReader(file.open(for: .reading))
    #expect(try reader.entries(of: Self.target, after: version, limit: 9) == [entry])
    #expect(try SQLiteMaintenance(path: file.path).check() == [])
  }

  @Test func `a fork of a session that ends in the same group is rejected`() throws {
    let writer = try writerWithHistory()
    #expect(
      try writer.write(.end(Self.source), Self.fork) == [.written, .rejected(.conflict)])
    let empty = WriteOperation.fork(
      Self.source, at: Cursor(epoch: "one", version: 0), to: Self.target, epoch: "two")
    #expect(try writer.write(empty) == [.rejected(.conflict)])
    try removeAll(writer)
    #expect(try countAll() == "0|0\n")
  }

  @Test(arguments: [1, 100, length - 21, length + 1])
  func `a fork at a version that the log does not contain is rejected`(_ version: Int) throws {
    let writer = try writerWithTrimmedHistory()
    let fork = WriteOperation.fork(
      Self.source, at: Cursor(epoch: "one", version: version), to: Self.target, epoch: "two")
    #expect(try writer.write(fork) == [.rejected(.conflict)])
    try removeAll(writer)
    #expect(try countAll() == "20|1\n")
    #expect(try Shell.sqlite(file.path, "SELECT count(*) FROM snapshots") == "1\n")
  }

  @Test func `a fork with other parameters needs all entries`() throws {
    let writer = try writerWithTrimmedHistory()
    let fork = WriteOperation.fork(
      Self.source, at: Cursor(epoch: "one", version: Self.length), to: Self.target, epoch: "two",
      parameters: Array("{}".utf8))
    #expect(try writer.write(fork) == [.rejected(.conflict)])
    try removeAll(writer)
    #expect(try countAll() == "20|1\n")
  }

  @Test func `closing a store finishes its copies`() async throws {
    let log = try SQLiteLog(path: folder["log.db"])
    let session = log.session(Self.source)
    try await session.append(1...Self.length, to: "one")
    let outcome = Mutex<Result<Void, any Error>?>(nil)
    let cursor = Cursor(epoch: "one", version: Self.length)
    begin {
      try await log.fork(Self.source, at: cursor, to: Self.target, epoch: "two")
    } completion: { result in
      outcome.withLock { $0 = result }
    }
    #expect(log.close())
    let result = outcome.withLock { $0 }
    #expect(throws: Never.self) { try result?.get() }
    #expect(result != nil)
    #expect(try count(Self.target) == Self.length)
  }
}
