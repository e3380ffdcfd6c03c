import Dispatch
import Foundation
import LogTestSupport
import ReactorLog
import Synchronization
import Testing
import TestSupport

@testable import SQLiteLog

/// Reads beside the closing of a store.
struct ClosingTests {
  private static let closed = LogError.unavailable("The store is closed.")

  private let folder: TemporaryFolder
  private let key = SessionKey(reactor: "counter", id: "demo")

  init() throws {
    folder = try TemporaryFolder()
  }

  private func open() throws -> SQLiteLog {
    try SQLiteLog(path: folder["log.db"], changeRetention: .seconds(60))
  }

  @Test func `reads of a closed store fail`() async throws {
    let log = try open()
    let session = log.session(key)
    try await session.append(1...3, to: "one")
    let feed = try #require(log.changes)
    #expect(log.close())
    #expect(throws: Self.closed) { try session.record() }
    #expect(throws: Self.closed) { try session.load() }
    #expect(throws: Self.closed) { try session.entries(after: 0, limit: 9) }
    #expect(throws: Self.closed) { try session.outcome(of: "key") }
    #expect(throws: Self.closed) { try log.sessions(of: "counter", after: nil, limit: 9) }
    #expect(throws: Self.closed) { try feed.changes(after: 0, limit: 9) }
  }

  @Test func `reads of a session whose log was released fail`() throws {
    var log: SQLiteLog? = try open()
    let session = try #require(log?.session(key))
    #expect(try session.record() == .none)
    log = nil
    #expect(throws: Self.closed) { try session.record() }
  }

  @Test func `the threads of an open store call a function, those of a closed one do not`() throws {
    let log = try open()
    let calls = Mutex<[String]>([])
    let isCalled = DispatchSemaphore(value: 0)
    log.callOnThreads {
      calls.withLock { $0.append("open") }
      isCalled.signal()
    }
    isCalled.wait()
    #expect(log.close())
    // All threads have ended.
    log.callOnThreads { calls.withLock { $0.append("closed") } }
    #expect(calls.withLock { $0 } == ["open"])
  }

  @Test func `a read that takes longer than the closing keeps the store locked until it ends`()
    throws
  {
    let log = try open()
    let (isReading, mayEnd, hasEnded) = (
      DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
    )
    Thread.detachNewThread { [readers = log.readers] in
      _ = try? readers.read { _ in
        isReading.signal()
        mayEnd.wait()
        return 0
      }
      hasEnded.signal()
    }
    isReading.wait()
    log.close(within: .zero)
    let error = #expect(throws: SQLiteLogError.self) { try open() }
    #expect(error?.code == .inUse)
    mayEnd.signal()
    hasEnded.wait()
    // Waits until the writer has ended as well.
    #expect(log.close())
    #expect(try open().close())
  }
}
