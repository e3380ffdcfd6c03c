import Foundation
import Glibc
import Synchronization
import Testing

/// Compares the logs of all nodes with the responses that the clients received.
struct LedgerAudit {
  let load: LedgerLoad

  /// The number of sessions that are read at the same time.
  private static let parallel = 6

  /// Checks all sessions at all nodes, and prints the progress and the counts.
  ///
  /// - Returns: The deviations of the run and of the logs.
  func run() throws -> LedgerViolations {
    let records = load.progress.current.records
    let keys = records.keys.sorted { $0.path < $1.path }
    let start = ContinuousClock.now
    let (next, done, entries) = (Counter(), Counter(), Counter())
    _ = try concurrently(Self.parallel, within: .seconds(1200)) { _ in
      while true {
        let index = next.add(1) - 1
        guard index < keys.count else { return }
        let count = try check(keys[index], records[keys[index]] ?? LedgerRecord())
        let total = entries.add(count)
        let number = done.add(1)
        printNow("audit: \(number) of \(keys.count) sessions, \(total) entries, \(.now - start)")
      }
    }
    let result = load.progress.current
    printCounts(of: result)
    return result.violations
  }

  private final class Counter: Sendable {
    private let value = Atomic(0)

    func add(_ amount: Int) -> Int { value.add(amount, ordering: .relaxed).newValue }
  }

  /// Checks a session.
  ///
  /// - Returns: The number of its entries.
  private func check(_ key: LedgerLoad.Key, _ record: LedgerRecord) throws -> Int {
    let sessions = load.cluster.nodes.map { SessionClient($0.client(), key.path) }
    if key.kind == .later { try waitForEffects(sessions[0], record) }
    var (logs, entries): ([LedgerLog], [LedgerLog.Entry]) = ([], [])
    var states: [HTTPResponse] = []
    // A node that received no messages for a while can show an older State for some seconds.
    let isEqual = try eventually {
      logs = try sessions.map { try LedgerLog(of: $0) }
      states = try sessions.map { try $0.getWhenAvailable($0.path + "/state") }
      entries = try logs[0].entries()
      let sum = entries.map(\.mutation.didEnter).reduce(0, +)
      return try zip(logs, states).allSatisfy { log, state in
        try log.pages == logs[0].pages && state["ETag"] == states[0]["ETag"]
          && state.json["count"]?.int == entries.count && state.json["sum"]?.int == sum
          && state.cursor?.version == entries.count
      }
    }
    if !isEqual {
      load.report("\(key.path): \(states.map(\.text)) of \(entries.count)", \.different)
    }
    let numbers = entries.map(\.mutation.didEnter)
    if entries.map(\.version) != Array(entries.indices.map { $0 + 1 }) {
      load.report("\(key.path): versions with gaps", \.disordered)
    }
    compare(numbers, with: record, key)
    if key.kind == .keyed { try checkReplay(sessions, entries.count) }
    return entries.count
  }

  private func compare(_ numbers: [Int], with record: LedgerRecord, _ key: LedgerLoad.Key) {
    let stored = Set(numbers)
    for number in record.acknowledged where !stored.contains(number) {
      load.report("\(key.path): \(number) is lost", \.lost)
    }
    for number in stored.intersection(record.rejected) {
      load.report("\(key.path): \(number) was rejected", \.rejectedAndStored)
    }
    // An interrupted effect runs again: the contract of an effect is at-least-once execution.
    if key.kind != .later {
      for _ in 0..<(numbers.count - stored.count) {
        load.report("\(key.path): a number is stored twice", \.doubled)
      }
    }
    // A client sends a request with a key only after the response to the previous one.
    if key.kind == .keyed, numbers != numbers.sorted() {
      load.report("\(key.path): the numbers are not in the order of the requests", \.disordered)
    }
    let known = record.undetermined.union(record.acknowledged)
    if !stored.isSubset(of: known) {
      load.report("\(key.path): has \(stored.subtracting(known)) of no request", \.disordered)
    }
  }

  /// Waits until the number of each accepted action is in the log.
  private func waitForEffects(_ session: SessionClient, _ record: LedgerRecord) throws {
    let accepted = Set(record.acknowledged)
    let isDone = try eventually {
      try session.getWhenAvailable(session.path + "/effects").json["effects"]?.array == []
        && accepted.isSubset(of: LedgerLog(of: session).entries().map(\.mutation.didEnter))
    }
    if !isDone { load.report("\(session.path): an accepted action has not ended", \.unresolved) }
  }

  /// Checks that each node replays each version once.
  private func checkReplay(_ sessions: [SessionClient], _ count: Int) throws {
    for session in sessions {
      let events = try session.replay(upTo: count)
      let versions = events.compactMap { $0.cursor?.version }
      guard versions != Array(0...count) else { continue }
      let changes = versions.difference(from: Array(0...count)).map { "\($0)" }
      load.report(
        "\(session.path): the replay of \(count) versions is not the log: \(changes.prefix(20))",
        \.disordered)
    }
  }

  private func printCounts(of result: LedgerLoad.Progress) {
    for kind in LedgerLoad.Kind.allCases {
      let records = result.records.filter { $0.key.kind == kind }.values
      let acknowledged = records.map(\.acknowledged.count).reduce(0, +)
      let rejected = records.map(\.rejected.count).reduce(0, +)
      let undetermined = records.map(\.undetermined.count).reduce(0, +)
      let others = kind == .plain ? ", \(rejected) rejected, \(undetermined) undetermined" : ""
      print("\(kind): \(acknowledged) acknowledged\(others)")
    }
    print("events of streams: \(result.events)")
    for (name, count) in result.responses.sorted(by: { $0.key < $1.key }) {
      print("responses: \(name): \(count)")
    }
    for finding in result.findings { print(finding) }
    printNow("\(result.violations)")
  }
}

/// Prints a line without buffering, also to a file, so that a long run can be followed and ended early.
func printNow(_ line: String) {
  print(line)
  fflush(nil)
}
