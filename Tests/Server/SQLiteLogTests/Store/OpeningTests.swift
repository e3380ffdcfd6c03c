import Foundation
import LogTestSupport
import ReactorLog
import Testing
import TestSupport

@testable import SQLiteLog

/// Opening and closing a store, and the files that are rejected.
struct OpeningTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  /// The error of opening the file of a name.
  private func reason(against name: String) -> SQLiteLogError? {
    do {
      _ = try SQLiteLog(path: folder[name])
      return nil
    } catch {
      return error
    }
  }

  @Test func `entries survive closing and opening`() async throws {
    let log = try SQLiteLog(path: folder["log.db"])
    try await log.session(SessionKey(reactor: "counter", id: "demo")).append(1...3, to: "one")
    #expect(log.close())
    let again = try SQLiteLog(path: folder["log.db"])
    let session = again.session(SessionKey(reactor: "counter", id: "demo"))
    #expect(try session.stored?.version == 3)
    try await session.append(4...4, to: "one")
    #expect(again.close())
  }

  @Test func `tables of a negative version are damage`() throws {
    #expect(try SQLiteLog(path: folder["log.db"]).close())
    try Shell.sqlite(folder["log.db"], "PRAGMA user_version = -5")
    let error = reason(against: "log.db")
    #expect(error?.code == .unsuitable)
    #expect(error?.message.contains("-5") == true)
  }

  @Test func `sources that were announced before closing are written`() throws {
    let log = try SQLiteLog(path: folder["log.db"])
    let sessions = (0..<100).map { log.session(SessionKey(reactor: "counter", id: "s\($0)")) }
    let sources = sessions.map { CountedSource($0) }
    for (session, source) in zip(sessions, sources) { session.announce(source) }
    #expect(log.close())
    #expect(sources.allSatisfy { $0.requestCount == 1 && $0.committedCount == 1 })
    let again = try SQLiteLog(path: folder["log.db"])
    #expect(try again.sessions(of: "counter", after: nil, limit: 200).count == 100)
    // A closed store completes the appends of a source with an error.
    sessions[0].announce(sources[0])
    #expect(sources[0].requestCount == 2 && sources[0].committedCount == 1)
    #expect(again.close())
  }

  @Test func `writes of completions during closing are written`()
    async throws
  {
    let log = try SQLiteLog(path: folder["log.db"])
    let session = log.session(SessionKey(reactor: "counter", id: "demo"))
    try await session.append(1...1, to: "one")
    let (isCompleted, isClosing) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let entry = LogEntry(
      version: 2, at: Timestamp(milliseconds: 0), action: nil, mutation: Array("2".utf8))
    session.append(LogBatch([entry]), to: "one", expecting: 1) { _ in
      isCompleted.signal()
      isClosing.wait()
      session.save(Snapshot(version: 2, state: Array("2".utf8)), of: "one")
    }
    let isClosed = await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        isCompleted.wait()
        Thread.detachNewThread {
          let deadline = ContinuousClock.now + .seconds(300)
          while log.committer?.idlenessIsAwaited == false, .now < deadline { sched_yield() }
          isClosing.signal()
        }
        continuation.resume(returning: log.close())
      }
    }
    #expect(isClosed)
    let again = try SQLiteLog(path: folder["log.db"])
    let snapshot = try again.session(SessionKey(reactor: "counter", id: "demo"))
      .snapshot(atOrBefore: 2, of: nil)
    #expect(snapshot?.version == 2)
    again.close()
  }

  @Test func `missing folders are created`() throws {
    let log = try SQLiteLog(path: folder["a/b/log.db"])
    #expect(FileManager.default.fileExists(atPath: folder["a/b/log.db"]))
    log.close()
  }

  @Test(arguments: ["not a database", String(repeating: "x", count: 100_000)])
  func `a file that is not a database is rejected and unchanged`(_ text: String) throws {
    try text.write(toFile: folder["log.db"], atomically: true, encoding: .utf8)
    let rejection = try #require(reason(against: "log.db"))
    #expect(rejection.code == .unsuitable)
    #expect(rejection.message.contains("is not a database"))
    #expect(try String(contentsOfFile: folder["log.db"], encoding: .utf8) == text)
  }

  @Test func `the database of another program is rejected and unchanged`() throws {
    try Shell.sqlite(folder["log.db"], "CREATE TABLE theirs (x); INSERT INTO theirs VALUES (1)")
    let before = FileManager.default.contents(atPath: folder["log.db"])
    #expect(reason(against: "log.db")?.code == .unsuitable)
    #expect(FileManager.default.contents(atPath: folder["log.db"]) == before)
  }

  @Test func `a store of a later version is rejected`() throws {
    try SQLiteLog(path: folder["log.db"]).close()
    try Shell.sqlite(folder["log.db"], "PRAGMA user_version = 99")
    let rejection = try #require(reason(against: "log.db"))
    #expect(rejection.code == .unsuitable)
    #expect(rejection.message.contains("99"))
  }

  @Test func `a folder that cannot be created is an error`() throws {
    try "".write(toFile: folder["file"], atomically: true, encoding: .utf8)
    #expect(reason(against: "file/log.db")?.code == .cannotCreate)
  }

  @Test func `a folder is not a store`() throws {
    #expect(try #require(reason(against: "")).code == .cannotCreate)
  }

  @Test func `a store is opened for writing once at a time`() throws {
    let log = try SQLiteLog(path: folder["log.db"])
    #expect(reason(against: "log.db")?.code == .inUse)
    log.close()
    #expect(reason(against: "log.db") == nil)
  }

  @Test(arguments: ["symbolic", "hard"])
  func `a link to a store in use is in use`(_ kind: String) throws {
    let log = try SQLiteLog(path: folder["log.db"])
    defer { log.close() }
    try Shell.run("ln", kind == "hard" ? "-f" : "-sf", folder["log.db"], folder["link.db"])
    #expect(reason(against: "link.db")?.code == .inUse)
  }

  @Test func `another process cannot lock a store in use, and can lock a closed one`() throws {
    let log = try SQLiteLog(path: folder["log.db"])
    #expect(try Shell.run("flock", "--nonblock", folder["log.db"], "true") == 1)
    log.close()
    #expect(try Shell.run("flock", "--nonblock", folder["log.db"], "true") == 0)
  }

  @Test func `the lock file of an earlier release is respected`() throws {
    try "".write(toFile: folder["log.db.lock"], atomically: true, encoding: .utf8)
    let other = try Shell([
      "flock", "--no-fork", folder["log.db.lock"], "sh", "-c", "echo locked; read line",
    ])
    defer { other.end() }
    while let line = other.line(), line != "locked" {}
    #expect(reason(against: "log.db")?.code == .inUse)
  }

  @Test func `a device is not a store`() throws {
    let error = #expect(throws: SQLiteLogError.self) { try SQLiteLog(path: "/dev/null") }
    #expect(error?.code == .unsuitable)
    #expect(error?.message == "the store \"/dev/null\" is not a regular file")
  }

  @Test func `a pipe is not a store`() throws {
    try Shell.run("mkfifo", folder["log.db"])
    #expect(reason(against: "log.db")?.code == .unsuitable)
  }

  @Test func `a write-ahead log without its database is rejected`() async throws {
    let log = try SQLiteLog(path: folder["log.db"])
    try await log.session(SessionKey(reactor: "counter", id: "demo")).append(1...3, to: "one")
    try Shell.run("cp", folder["log.db-wal"], folder["lost.db-wal"])
    log.close()
    for _ in 1...2 {
      let error = try #require(reason(against: "lost.db"))
      #expect(error.code == .unsuitable)
      #expect(error.message.contains("write-ahead log"))
    }
  }

  @Test func `files of a store are private`() async throws {
    let log = try SQLiteLog(path: folder["log.db"])
    defer { log.close() }
    try await log.session(SessionKey(reactor: "counter", id: "demo")).append(1...3, to: "one")
    for name in ["log.db", "log.db-wal", "log.db-shm"] {
      let attributes = try FileManager.default.attributesOfItem(atPath: folder[name])
      #expect(attributes[.posixPermissions] as? Int == 0o600, "\(name)")
    }
  }

  @Test func `a database that another process has locked is rejected`() throws {
    try SQLiteLog(path: folder["log.db"]).close()
    let other = try Shell.locking(folder["log.db"])
    defer { other.end() }
    #expect(reason(against: "log.db")?.code == .inUse)
  }

  @Test func `the log can be read with SQL`() async throws {
    let log = try SQLiteLog(path: folder["log.db"])
    try await log.session(SessionKey(reactor: "counter", id: "demo")).append(1...2, to: "one")
    let rows = try Shell.sqlite(folder["log.db"], "SELECT * FROM log")
    #expect(
      rows == """
        counter|demo|1|2023-11-14T22:13:20.001Z|"increase"||{"change":{"by":1}}|
        counter|demo|2|2023-11-14T22:13:20.002Z|"increase"||{"change":{"by":2}}|

        """)
    log.close()
  }
}
