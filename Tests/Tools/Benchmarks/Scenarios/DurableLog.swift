import Foundation
import LogTestSupport
import ReactorHost
import ReactorLog
import Reactors
import SQLiteLog

/// A stored session of the counter: its load time and its size on disk.
struct DurableLog {
  let mutations: Int
  /// Whether to write snapshots, as the daemon does.
  let hasSnapshots: Bool

  private let folder = FileManager.default.temporaryDirectory
    .appending(path: "reactord-bench-\(UUID().uuidString)")
  private var path: String { folder.appending(path: "log.db").path }

  /// The measurements.
  struct Result {
    var loads: [Duration] = []
    var replays: [Duration] = []
    var bytesPerMutation = 0.0
  }

  /// The number of mutations after the last snapshot: one less than the next one requires.
  private static let sinceSnapshot = HostSettings().snapshotInterval - 1

  /// Writes the session and loads it several times into fresh hosts.
  func measure(rounds: Int) async throws -> Result {
    defer { try? FileManager.default.removeItem(at: folder) }
    let first = hasSnapshots ? mutations - Self.sinceSnapshot : mutations
    try await write(1...first)
    if hasSnapshots {
      // The first load writes the snapshot, as in the daemon.
      _ = try await withSession(in: path) { _ in }
      try await write(first + 1...mutations)
    }
    var result = Result()
    let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
    result.bytesPerMutation = Double(size) / Double(mutations)
    for _ in 0..<rounds { try await load(into: &result) }
    return result
  }

  /// Loads a copy of the file, because a slow load writes a snapshot.
  private func load(into result: inout Result) async throws {
    let copy = folder.appending(path: "copy.db").path
    try FileManager.default.copyItem(atPath: path, toPath: copy)
    defer { try? FileManager.default.removeItem(atPath: copy) }
    let load = try await withSession(in: copy) { session in
      precondition(session.current.version == mutations)
      try await replay(session, into: &result)
    }
    result.loads.append(load)
  }

  /// Loads the session of a file into a host of its own.
  ///
  /// - Returns: The load time.
  private func withSession(
    in path: String, _ body: (any Session) async throws -> Void
  ) async throws -> Duration {
    let log = try SQLiteLog(path: path)
    defer { log.close() }
    let host = Host(Catalogue().reactors, log: log)
    let start = ContinuousClock.now
    guard let session = try await host.reactor("counter")?.session("bench", for: .use).session
    else { throw BenchmarkError("the reactor is not hosted") }
    let time = ContinuousClock.now - start
    try await body(session)
    return time
  }

  private func replay(_ session: any Session, into result: inout Result) async throws {
    let clock = ContinuousClock()
    let replay = try await clock.measure {
      let replay = try await session.replay(after: nil)
      var count = -1
      while case let states = try await replay.next(limit: 1000), !states.isEmpty {
        count += states.count
      }
      precondition(count == mutations)
    }
    result.replays.append(replay)
  }

  private func write(_ versions: ClosedRange<Int>) async throws {
    let log = try SQLiteLog(path: path)
    let session = log.session(SessionKey(reactor: "counter", id: "bench"))
    for start in stride(from: versions.lowerBound, through: versions.upperBound, by: 1000) {
      let entries = (start...min(start + 999, versions.upperBound)).map { version in
        LogEntry(
          version: version, at: .now, action: Array(#""increase""#.utf8),
          mutation: Array(#"{"change":{"by":1}}"#.utf8))
      }
      try await withCheckedThrowingContinuation { continuation in
        session.append(LogBatch(entries), to: "bench", expecting: start - 1) { result in
          continuation.resume(with: result.mapError { $0 })
        }
      }
    }
    log.close()
  }
}
