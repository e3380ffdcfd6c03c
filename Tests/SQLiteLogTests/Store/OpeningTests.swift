import Foundation
import ReactorHost
import Testing

@testable import SQLiteLog

/// What becomes of a file before anything is written to it.
struct OpeningTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  /// Why the file of this name is no store.
  private func reason(against name: String) -> SQLiteLogError? {
    do {
      _ = try SQLiteLog(path: folder[name])
      return nil
    } catch {
      return error
    }
  }

  @Test func `what was written is there when the store is opened again`() async throws {
    let log = try SQLiteLog(path: folder["log.db"])
    try await log.session(SessionKey(reactor: "counter", id: "demo")).append(1...3, to: "one")
    #expect(log.close())
    let again = try SQLiteLog(path: folder["log.db"])
    let session = again.session(SessionKey(reactor: "counter", id: "demo"))
    #expect(try session.stored?.version == 3)
    try await session.append(4...4, to: "one")
    #expect(again.close())
  }

  @Test func `who was announced before the store is closed is asked, and on the disk`() throws {
    let log = try SQLiteLog(path: folder["log.db"])
    let sessions = (0..<100).map { log.session(SessionKey(reactor: "counter", id: "s\($0)")) }
    let sources = sessions.map { CountedSource($0) }
    for (session, source) in zip(sessions, sources) { session.announce(source) }
    #expect(log.close())
    #expect(sources.allSatisfy { $0.asked == 1 && $0.committedCount == 1 })
    let again = try SQLiteLog(path: folder["log.db"])
    #expect(try again.sessions(of: "counter", after: nil, limit: 200).count == 100)
    // Nobody is left waiting by a store that takes nothing more.
    sessions[0].announce(sources[0])
    #expect(sources[0].asked == 2 && sources[0].committedCount == 1)
    #expect(again.close())
  }

  @Test func `what a completion gives the store while that is closed is there as well`()
    async throws
  {
    let log = try SQLiteLog(path: folder["log.db"])
    let session = log.session(SessionKey(reactor: "counter", id: "demo"))
    try await session.append(1...1, to: "one")
    let (isTold, isClosing) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let entry = LogEntry(
      version: 2, at: Timestamp(milliseconds: 0), action: nil, mutation: Array("2".utf8))
    session.append(LogBatch([entry]), to: "one", expecting: 1) { _ in
      isTold.signal()
      isClosing.wait()
      session.save(Snapshot(version: 2, state: Array("2".utf8)), of: "one")
    }
    let isClosed = await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        isTold.wait()
        Thread.detachNewThread {
          let deadline = ContinuousClock.now + .seconds(20)
          while log.committer?.endIsAwaited == false, .now < deadline { sched_yield() }
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

  @Test func `the folders above the file are made`() throws {
    let log = try SQLiteLog(path: folder["a/b/log.db"])
    #expect(FileManager.default.fileExists(atPath: folder["a/b/log.db"]))
    log.close()
  }

  @Test(arguments: ["not a database", String(repeating: "x", count: 100_000)])
  func `a file that is not a database is left alone`(_ text: String) throws {
    try text.write(toFile: folder["log.db"], atomically: true, encoding: .utf8)
    let refusal = try #require(reason(against: "log.db"))
    #expect(refusal.code == .unsuitable)
    #expect(refusal.message.contains("is not a database"))
    #expect(try String(contentsOfFile: folder["log.db"], encoding: .utf8) == text)
  }

  @Test func `the database of another program is left alone`() throws {
    try Shell.sqlite(folder["log.db"], "CREATE TABLE theirs (x); INSERT INTO theirs VALUES (1)")
    let before = FileManager.default.contents(atPath: folder["log.db"])
    #expect(reason(against: "log.db")?.code == .unsuitable)
    #expect(FileManager.default.contents(atPath: folder["log.db"]) == before)
  }

  @Test func `a store of a later version is left alone`() throws {
    try SQLiteLog(path: folder["log.db"]).close()
    try Shell.sqlite(folder["log.db"], "PRAGMA user_version = 99")
    let refusal = try #require(reason(against: "log.db"))
    #expect(refusal.code == .unsuitable)
    #expect(refusal.message.contains("99"))
  }

  @Test func `a folder that cannot be made is told`() throws {
    try "".write(toFile: folder["file"], atomically: true, encoding: .utf8)
    #expect(reason(against: "file/log.db")?.code == .cannotCreate)
  }

  @Test func `a folder is no store`() throws {
    #expect(try #require(reason(against: "")).code == .cannotCreate)
  }

  @Test func `a store is used by one at a time`() throws {
    let log = try SQLiteLog(path: folder["log.db"])
    #expect(reason(against: "log.db")?.code == .inUse)
    log.close()
    #expect(reason(against: "log.db") == nil)
  }

  @Test func `a store that another process has locked is told`() throws {
    try SQLiteLog(path: folder["log.db"]).close()
    let other = try Shell.locking(folder["log.db"])
    defer { other.end() }
    #expect(reason(against: "log.db")?.code == .inUse)
  }

  @Test func `a person can read it`() async throws {
    let log = try SQLiteLog(path: folder["log.db"])
    try await log.session(SessionKey(reactor: "counter", id: "demo")).append(1...2, to: "one")
    let rows = try Shell.sqlite(folder["log.db"], "SELECT * FROM log")
    #expect(
      rows == """
        counter|demo|1|2023-11-14T22:13:20.001Z|"increase"||{"change":{"by":1}}
        counter|demo|2|2023-11-14T22:13:20.002Z|"increase"||{"change":{"by":2}}

        """)
    log.close()
  }
}
