import ReactorLog
import Synchronization
import Testing
import TestSupport

@testable import SQLiteLog

/// Groups of which some operations cannot be written.
@Suite struct GroupTests {
  private let folder: TemporaryFolder
  private let file: StoreFile

  init() throws {
    folder = try TemporaryFolder()
    file = StoreFile(path: folder["log.db"])
    try file.prepare()
    // Reject one mutation for its value, and fail at another one as a failing store would.
    try Shell.sqlite(
      file.path,
      """
      CREATE TRIGGER reject BEFORE INSERT ON mutations WHEN NEW.mutation = '"rejected"'
        BEGIN SELECT raise(ABORT, 'rejected'); END;
      CREATE TRIGGER fail BEFORE INSERT ON mutations WHEN NEW.mutation = '"failing"'
        BEGIN SELECT json('{'); END;
      """)
  }

  /// A group that appends one mutation to a session of its own each.
  private func group(_ mutations: [String]) -> [WriteRequest] {
    mutations.enumerated().map { index, mutation in
      let entry = LogEntry(
        version: 1, at: .now, action: nil, global: nil, mutation: Array(#""\#(mutation)""#.utf8))
      let key = SessionKey(reactor: "counter", id: "\(index)")
      return WriteRequest(
        .append(key, LogBatch([entry]), epoch: "one", version: 0), completion: nil)
    }
  }

  private func stored() throws -> String {
    try Shell.sqlite(file.path, "SELECT session FROM log ORDER BY session").split(separator: "\n")
      .joined(separator: ",")
  }

  @Test func `operations beside one with an unsuitable value are written`() throws {
    let writer = try LogWriter(file, StoreRules(), afterFailure: false)
    writer.stopClock()
    let outcome = writer.write(group(["a", "rejected", "b"])[...])
    #expect(outcome.results == [.written, .rejected(.lost(to: nil)), .written])
    #expect(outcome.failure == nil)
    #expect(try stored() == "0,2")
  }

  @Test func `operations that were written before the store failed are reported as written`()
    throws
  {
    let writer = try LogWriter(file, StoreRules(), afterFailure: false)
    writer.stopClock()
    let outcome = writer.write(group(["a", "rejected", "failing", "b"])[...])
    let failure = try #require(outcome.failure)
    #expect(
      outcome.results == [
        .written, .rejected(.lost(to: nil)), .rejected(failure.logError),
        .rejected(failure.logError),
      ])
    #expect(failure.breaksConnection)
    #expect(try stored() == "0")
  }

  @Test func `a group ends after 1 MiB or 5 ms, and the rest is in the next one`() throws {
    let writer = try LogWriter(file, StoreRules(), afterFailure: false)
    writer.stopClock()
    let large = String(repeating: "x", count: 600_000)
    let operations = group([large, large, "a", "b"])
    #expect(writer.write(operations[...]).results == [.written, .written])
    // Each reading of the clock is 3 ms later.
    let time = Mutex(ContinuousClock.now)
    writer.now = {
      time.withLock { time in
        time += .milliseconds(3)
        return time
      }
    }
    let more = group(["", "", "", "c", "d", "e"])
    #expect(writer.write(more[3...]).results == [.written, .written])
    #expect(try stored() == "0,1,3,4")
  }

  @Test func `a failing store rejects a whole group that no value splits`() throws {
    let writer = try LogWriter(file, StoreRules(), afterFailure: false)
    writer.stopClock()
    let outcome = writer.write(group(["a", "failing", "b"])[...])
    let failure = try #require(outcome.failure)
    #expect(outcome.results == Array(repeating: .rejected(failure.logError), count: 3))
    #expect(try stored() == "")
  }
}
