import Foundation
import Synchronization
import Testing

/// Timers fire once, also if the process is killed at any moment.
@Suite(.blocking) struct TimerKillTests {
  /// The number of kills; `make test-faults` sets a larger one.
  private static let rounds =
    ProcessInfo.processInfo.environment["FAULT_ROUNDS"].flatMap { Int($0) } ?? 10
  private static let sessions = 3
  /// The number of timers that one action schedules.
  private static let count = 10

  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private func start() throws -> ReactordProcess {
    try ReactordProcess("--store", "sqlite:\(folder["log.db"])", program: "faulty")
  }

  private func session(_ index: Int, of server: ReactordProcess) -> SessionClient {
    SessionClient(server.client(), "/v1/reactors/alarm/sessions/alarm-\(index)")
  }

  private func arm(from first: Int, delay: Int, step: Int) -> String {
    #"{"arm":{"from":\#(first),"count":\#(Self.count),"delay":\#(delay),"step":\#(step)}}"#
  }

  @Test func `each timer fires once, and not before its time, over kills`() throws {
    var acknowledged = Array(repeating: [Int](), count: Self.sessions)
    for round in 0..<Self.rounds {
      let server = try start()
      let left = Atomic(Int.random(in: 1...40))
      let results = try concurrently(Self.sessions) { index in
        var done: [Int] = []
        let session = session(index, of: server)
        for turn in 0..<1000 {
          let first = (round * 1000 + turn) * Self.count
          // Some timers are due immediately, others after the kill.
          let body = arm(from: first, delay: turn % 3 == 0 ? -100 : 5 * (turn % 10), step: 3)
          guard let answer = try? session.post(body), answer.status == 200 else { break }
          done += first..<(first + Self.count)
          if left.subtract(1, ordering: .relaxed).newValue == 0 { server.process.kill() }
        }
        return done
      }
      for (index, done) in results.enumerated() { acknowledged[index] += done }
      try server.process.wait()
    }
    let server = try start()
    for index in 0..<Self.sessions {
      let session = session(index, of: server)
      #expect(try eventually { try session.timers().isEmpty })
      let state = try session.state().json
      let rings = try #require(state["rings"]?.array).compactMap(\.int)
      #expect(Set(rings).count == rings.count, "a timer fired twice")
      #expect(Set(rings).isSuperset(of: acknowledged[index]), "a timer did not fire")
      #expect(state["armed"]?.int == rings.count)
      #expect(state["early"] == 0)
    }
    try server.stop()
    #expect(try rows("SELECT count(*) FROM timers") == "0\n")
  }

  private func rows(_ query: String) throws -> String {
    let shell = try ChildProcess("/usr/bin/sqlite3", ["-readonly", folder["log.db"], query])
    try shell.wait()
    return shell.standardOutput
  }

  @Test func `timers whose time passes while the process is down fire at the start, in order`()
    throws
  {
    let first = try start()
    try session(0, of: first).post(arm(from: 0, delay: 3_600_000, step: 20))
    try session(0, of: first).post(arm(from: 10, delay: 3_599_990, step: 20))
    first.process.kill()
    try first.process.wait()
    // Shift the due times, as if the process had been down for two hours.
    let shell = try ChildProcess(
      "/usr/bin/sqlite3", [folder["log.db"], "UPDATE timers SET due = due - 7200000"])
    try shell.wait()
    let due = try rows("SELECT group_concat(id) FROM (SELECT id FROM timers ORDER BY due)")
    #expect(due.split(separator: ",").count == 20)
    let second = try start()
    // The timers fire although no client has requested the session.
    #expect(try eventually { try rows("SELECT count(*) FROM timers") == "0\n" })
    // The store has a commit before the session publishes the State.
    var rings: [JSON] = []
    #expect(
      try eventually {
        rings = try session(0, of: second).state().json["rings"]?.array ?? []
        return rings.count == 20
      })
    #expect(rings.compactMap(\.int).map(String.init).joined(separator: ",") + "\n" == due)
  }
}

extension SessionClient {
  fileprivate func timers() throws -> [JSON] {
    try client.get(path + "/timers").json["timers"]?.array ?? []
  }
}
