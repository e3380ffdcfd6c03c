import ReactorHost
import Synchronization
import Testing

@testable import SQLiteLog

/// How a store copies a long history: in parts, beside what else is written.
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

  /// A writer of the store, after its process was killed if there was one before.
  private func writer() throws -> LogWriter {
    try LogWriter(
      file.connect(for: .writing), StoreRules(retention: retention), afterFailure: false)
  }

  /// A writer of a store with a session that is long enough.
  private func writerWithHistory() throws -> LogWriter {
    var writer = try writer()
    let entries = (1...Self.length).map { LogEntry(counted: $0) }
    let batch = LogBatch(entries)
    #expect(try writer.write(.append(Self.source, batch, epoch: "one", version: 0)) == [.written])
    return writer
  }

  private static let fork = WriteOperation.fork(
    source, version: length - 1, to: target, epoch: "two")

  /// Goes on with the fork until it is written.
  private func finish(_ writer: inout LogWriter) throws {
    var result: [WriteResult]
    repeat { result = try writer.write(Self.fork) } while result == [.unfinished]
    #expect(result == [.written])
  }

  /// Lets a writer remove all that there is to remove.
  private func removeAll(_ writer: inout LogWriter) throws {
    repeat { _ = try writer.write(.lookAround) } while !writer.isAtRest
  }

  private func count(_ session: SessionKey) throws -> Int {
    let text = try Shell.sqlite(
      file.path, "SELECT count(*) FROM log WHERE session = '\(session.id)'")
    return try #require(Int(text.dropLast()))
  }

  /// The mutations of sessions and of what is to be removed.
  private func countAll() throws -> String {
    try Shell.sqlite(file.path, "SELECT count(*), count(DISTINCT session) FROM mutations")
  }

  @Test func `others are written while a long history is copied`() throws {
    var writer = try writerWithHistory()
    #expect(try writer.write(Self.fork) == [.unfinished])
    var version = 0
    var results: [WriteResult] = []
    repeat {
      let append = WriteOperation.append(
        Self.other, LogBatch([LogEntry(counted: version + 1)]), epoch: "x", version: version)
      #expect(try count(Self.target) == 0, "nobody sees a part")
      results = try writer.write(Self.fork, append)
      version += 1
      #expect(results.last == .written)
    } while results.first == .unfinished
    #expect(results.first == .written)
    #expect(version == 3, "a thousand a group")
    #expect(try count(Self.target) == Self.length - 1)
    #expect(try count(Self.other) == version)
  }

  @Test func `what was copied before a crash is removed`() throws {
    var writer = try writerWithHistory()
    #expect(try writer.write(Self.fork) == [.unfinished])
    #expect(try countAll() == "\(Self.length + 1000)|2\n")
    writer = try self.writer()
    try removeAll(&writer)
    #expect(try countAll() == "\(Self.length)|1\n")
    #expect(try count(Self.target) == 0)
    // Its key is not taken twice.
    try finish(&writer)
    #expect(try count(Self.target) == Self.length - 1)
  }

  @Test func `a history that ends meanwhile is copied whole, and removed then`() throws {
    var writer = try writerWithHistory()
    #expect(try writer.write(Self.fork, .end(Self.source)) == [.unfinished, .written])
    // Enough for what is removed to overtake what is copied.
    for _ in 0..<10 { _ = try writer.write(.lookAround) }
    try finish(&writer)
    #expect(try count(Self.target) == Self.length - 1)
    try removeAll(&writer)
    #expect(try countAll() == "\(Self.length - 1)|1\n")
  }

  @Test func `retention removes nothing of a history that is copied`() throws {
    var writer = try writerWithHistory()
    let snapshot = Snapshot(version: Self.length - 20, state: Array("1".utf8))
    #expect(
      try writer.write(Self.fork, .save(Self.source, snapshot, epoch: "one"))
        == [.unfinished, .written])
    for _ in 0..<10 { _ = try writer.write(.lookAround) }
    try finish(&writer)
    #expect(try count(Self.target) == Self.length - 1)
    try removeAll(&writer)
    #expect(try count(Self.source) == 20)
  }

  @Test func `a session that is made meanwhile stays, and the copy is removed`() throws {
    var writer = try writerWithHistory()
    #expect(
      try writer.write(Self.fork, .create(Self.target, epoch: "three")) == [.unfinished, .written])
    #expect(try writer.write(Self.fork) == [.refused(.conflict)])
    try removeAll(&writer)
    #expect(try countAll() == "\(Self.length)|1\n")
    #expect(try count(Self.target) == 0)
  }

  @Test func `what is refused beside it takes nothing of it along`() throws {
    var writer = try writerWithHistory()
    #expect(try writer.write(Self.fork, .end(Self.source)) == [.unfinished, .written])
    // A version that is there is against the rules of the table, and the group begins anew.
    let twice = LogBatch([LogEntry(counted: 1), LogEntry(counted: 1)])
    let wrong = WriteOperation.append(Self.other, twice, epoch: "x", version: 0)
    #expect(try writer.write(Self.fork, wrong) == [.unfinished, .refused(.conflict)])
    try finish(&writer)
    #expect(try count(Self.target) == Self.length - 1)
  }

  @Test func `several at once come to their ends one after the other`() throws {
    var writer = try writerWithHistory()
    var waiting = (0..<5).map { index in
      WriteOperation.fork(
        Self.source, version: Self.length, to: SessionKey(reactor: "counter", id: "\(index)"),
        epoch: "e\(index)")
    }
    var groups = 0
    while !waiting.isEmpty {
      let results = try writer.write(waiting)
      #expect(!results.contains(.refused(.conflict)))
      waiting = zip(waiting, results).compactMap { $1 == .unfinished ? $0 : nil }
      groups += 1
    }
    // A thousand a group, whoever they are for.
    #expect(groups >= 5 * Self.length / 1000)
    #expect(groups <= 5 * Self.length / 1000 + 5)
    for index in 0..<5 {
      #expect(try count(SessionKey(reactor: "counter", id: "\(index)")) == Self.length)
    }
  }

  @Test func `a store that is closed finishes what it has begun`() async throws {
    let log = try SQLiteLog(path: folder["log.db"])
    let session = log.session(Self.source)
    try await session.append(1...Self.length, to: "one")
    let outcome = Mutex<Result<Void, LogError>?>(nil)
    log.fork(Self.source, at: Self.length, to: Self.target, epoch: "two") { result in
      outcome.withLock { $0 = result }
    }
    #expect(log.close())
    let told = outcome.withLock { $0 }
    #expect(throws: Never.self) { try told?.get() }
    #expect(told != nil)
    #expect(try count(Self.target) == Self.length)
  }
}

extension LogWriter {
  fileprivate mutating func write(_ operations: WriteOperation...) throws -> [WriteResult] {
    try write(operations)
  }

  fileprivate mutating func write(_ operations: [WriteOperation]) throws -> [WriteResult] {
    try write(operations.map { WriteRequest($0, completion: nil) }[...])
  }
}
