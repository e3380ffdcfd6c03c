import Foundation
import ReactorLog
import Telemetry
import Testing
import TestSupport

@testable import SQLiteLog

/// Checkpoints of a store during writes.
@Suite struct CheckpointTests {
  private let folder: TemporaryFolder
  private let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder["log.db"]
  }

  /// The number of restarts of the write-ahead log: bytes 12 to 15 of its header
  /// (https://sqlite.org/fileformat2.html#the_write_ahead_log).
  private func beginnings() throws -> UInt32 {
    let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path + "-wal"))
    defer { try? file.close() }
    let head = try file.read(upToCount: 16) ?? Data()
    return head.dropFirst(12).reduce(0) { $0 << 8 | UInt32($1) }
  }

  private func size(_ suffix: String) throws -> Int {
    try FileManager.default.attributesOfItem(atPath: path + suffix)[.size] as? Int ?? 0
  }

  /// Appends a mebibyte to a session.
  private func append(to session: any SessionLog, after version: Int) async throws {
    let mutation = Array(("\"" + String(repeating: "x", count: 4094) + "\"").utf8)
    let entries = (version + 1...version + 256).map {
      LogEntry(version: $0, at: .now, action: nil, mutation: mutation)
    }
    try await session.append(LogBatch(entries), to: "one", expecting: version)
  }

  @Test func `the write-ahead log restarts under continuous writes, and nothing is lost`()
    async throws
  {
    let log = try SQLiteLog(path: path)
    let session = log.session(SessionKey(reactor: "counter", id: "demo"))
    var version = 0
    repeat {
      try await append(to: session, after: version)
      version += 256
    } while try beginnings() == 0 && version < 256 * 200
    #expect(try beginnings() > 0)
    // Long readers may extend the write-ahead log, slow passes must not.
    #expect(try size("-wal") < 100_000_000)
    #expect(try size("") > 10_000_000)
    #expect(try session.entries(after: version - 1, limit: 10).map(\.version) == [version])
    #expect(log.close())
    // Closing the last connection copies the rest and deletes the file.
    #expect(!FileManager.default.fileExists(atPath: path + "-wal"))
    let output = try Shell.sqlite(path, "SELECT count(*) FROM mutations; PRAGMA integrity_check")
    #expect(output == "\(version)\nok\n")
  }

  @Test func `a long reader sees its state, and the write-ahead log restarts after it`()
    async throws
  {
    let log = try SQLiteLog(path: path)
    defer { log.close() }
    let session = log.session(SessionKey(reactor: "counter", id: "demo"))
    try await append(to: session, after: 0)
    let reader = try StoreFile(path: path).connect(for: .reading)
    try reader.execute("BEGIN")
    let seen = try reader.integer("SELECT count(*) FROM mutations")
    var version = 256
    while version < 256 * 40 {
      try await append(to: session, after: version)
      version += 256
    }
    #expect(try beginnings() == 0)
    #expect(try reader.integer("SELECT count(*) FROM mutations") == seen)
    try reader.execute("COMMIT")
    while try beginnings() == 0, version < 256 * 240 {
      try await append(to: session, after: version)
      version += 256
    }
    #expect(try beginnings() > 0)
  }

  @Test(.timeLimit(.minutes(60)))
  func `a failing checkpoint is logged once, and its recovery once`() async throws {
    let (lines, log) = AsyncStream.makeStream(of: String.self)
    let file = StoreFile(path: path)
    let checkpointer = try #require(
      Checkpointer(file, logger: Logger(level: .info) { _, line, _ in log.yield(line) }))
    var logged = lines.makeAsyncIterator()
    func commit(_ length: Int) {
      checkpointer.didCommit(length: length) { () throws(DatabaseError) in Checkpoint() }
    }
    // No store exists.
    commit(4000)
    #expect(await logged.next() == "write-ahead log cannot be copied to the database")
    try file.prepare()
    commit(4064)
    #expect(await logged.next() == "write-ahead log is copied to the database again")
    checkpointer.close()
    log.finish()
    #expect(await logged.next() == nil)
  }
}
