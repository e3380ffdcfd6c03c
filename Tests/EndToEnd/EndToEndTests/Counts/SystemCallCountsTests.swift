import Foundation
import Testing

/// The system calls of an action, a delivery and a creation, compared with the committed counts.
///
/// Only calls that send bytes, make them durable or read pages of a store are counted, because their
/// number is reproducible. `make counts` writes a change into the file, so that the diff shows it.
@Suite(
  .blocking, .serialized, .enabled(if: SystemCallTrace.isPermitted && !Sanitizer.isUsed))
struct SystemCallCountsTests {
  private typealias Counts = [String: [String: Double]]

  private static let file = Guide.root
    .appending(path: "Tests/Tools/HotPathCounts/system-calls.json")

  private struct Scenario {
    var name: String
    /// Whether the store is durable.
    var isDurable = false
    /// The number of subscribers.
    var streams = 0
    /// Whether the requests create sessions; otherwise they are actions of one session.
    var creates = false
  }

  private static let scenarios = [
    Scenario(name: "action"),
    Scenario(name: "action, 1 stream", streams: 1),
    Scenario(name: "action, 100 streams", streams: 100),
    Scenario(name: "action, SQLite", isDurable: true),
    Scenario(name: "creation, SQLite", isDurable: true, creates: true),
  ]

  private static let requests = 200

  @Test func `actions, deliveries and creations make as many calls as system-calls.json states`()
    throws
  {
    var counted: Counts = [:]
    for scenario in Self.scenarios { counted[scenario.name] = try Self.calls(scenario) }
    if ProcessInfo.processInfo.environment["WRITE_COUNTS"] != nil {
      return try Self.write(counted)
    }
    let written = try JSONDecoder().decode(Counts.self, from: Data(contentsOf: Self.file))
    #expect(Set(written.keys) == Set(counted.keys))
    for (name, calls) in counted {
      let before = written[name] ?? [:]
      for call in Set(calls.keys).union(before.keys).sorted() {
        let (count, expected) = (calls[call] ?? 0, before[call] ?? 0)
        #expect(
          abs(count - expected) <= max(0.3, expected / 50),
          "\(name): \(call) \(count) times, not \(expected); see make counts")
      }
    }
  }

  /// A thread that polls every millisecond would call `epoll_wait` two thousand times during the
  /// two seconds of the wait.
  @Test func `a waiting request does not keep a thread awake`() throws {
    let folder = try TemporaryFolder()
    let trace = try SystemCallTrace(in: folder)
    let server = try ReactordProcess(["--actions-wait", "2"], under: trace.tracer)
    let response = try server.session(of: "stopwatch").post(#""start""#)
    #expect(response.status == 202)
    try server.stop()
    let waits = try trace.all()["epoll_wait"] ?? 0
    #expect((1...500).contains(waits), "\(waits) times")
  }

  /// Returns the system calls per request.
  ///
  /// It is the difference between two runs, one with twice as many requests, so that the start and
  /// the end of the service do not count.
  private static func calls(_ scenario: Scenario) throws -> [String: Double] {
    let once = try trace(scenario, requests: requests)
    let twice = try trace(scenario, requests: 2 * requests)
    return Dictionary(
      uniqueKeysWithValues: Set(once.keys).union(twice.keys).map { call in
        (call, Double((twice[call] ?? 0) - (once[call] ?? 0)) / Double(requests))
      })
  }

  /// Traces a service with one client, and returns the counts.
  ///
  /// The client waits for each response and for each event of the streams, so that the counts do
  /// not depend on scheduling.
  private static func trace(_ scenario: Scenario, requests: Int) throws -> [String: Int] {
    let folder = try TemporaryFolder()
    let flags = scenario.isDurable ? ["--store", "sqlite:\(folder["log.db"])"] : []
    let trace = try SystemCallTrace(in: folder)
    let server = try ReactordProcess(flags, under: trace.tracer)
    let session = server.session(of: "counter")
    let watching = try (0..<scenario.streams).map { _ in try session.events() }
    for stream in watching { _ = try stream.nextEvent() }
    for number in 0..<requests {
      if scenario.creates {
        let response = try SessionClient(session.client, session.siblings + "/\(number)").put()
        #expect(response.status == 201)
      } else {
        try session.post(#""increase""#)
      }
      for stream in watching { _ = try stream.nextEvent() }
    }
    try server.stop()
    return try trace.counts()
  }

  private static func write(_ counted: Counts) throws {
    let counts: Counts = counted.mapValues { calls in
      calls.mapValues { ($0 * 10).rounded() / 10 }.filter { $0.value >= 0.3 }
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    try (encoder.encode(counts) + Data("\n".utf8)).write(to: file)
  }
}
